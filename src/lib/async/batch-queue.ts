import { AsyncResource } from 'node:async_hooks'

export interface BatchQueueOptions<T> {
  /** Maximum number of queued items. When it is reached, new items are dropped. */
  readonly limit: number
  /** Number of items in a batch. */
  readonly batch: number
  /** The weight of an item, for items of different sizes: limits and counts are then sums of weights. Default: 1. */
  readonly weigh?: (item: T) => number
  /** Milliseconds after which an incomplete batch is written. */
  readonly everyMs: number
  /** Writes a batch, in order. Not called concurrently. The batch is lost if it throws or rejects. */
  readonly write: (items: readonly T[]) => void | Promise<void>
  /** Called with the number of items lost since the last call, at most every ten seconds. */
  readonly onLost: (count: number, cause: unknown) => void
}

const REPORT_INTERVAL_MS = 10_000

/** A queue that writes its items in batches, in a separate turn of the event loop. Adding an item never blocks. */
export class BatchQueue<T> {
  readonly #options: BatchQueueOptions<T>
  /** Runs work outside of the async context (AsyncLocalStorage, trace) of the caller that added an item. */
  readonly #detach = AsyncResource.bind(<R>(work: () => R): R => work())
  #items: T[] = []
  #size = 0
  #added = 0
  #done = 0
  #timer: NodeJS.Timeout | undefined
  #draining: Promise<void> | undefined
  #lost = 0
  #unreported = 0
  #cause: unknown
  #reportTimer: NodeJS.Timeout | undefined

  constructor(options: BatchQueueOptions<T>) {
    this.#options = options
  }

  /** Number of queued items. */
  get size(): number {
    return this.#size
  }

  /** Number of items that were dropped or not written, since the start. */
  get lost(): number {
    return this.#lost
  }

  add(item: T): void {
    const weight = this.#weightOf(item)
    if (this.#size >= this.#options.limit) return this.#lose(weight, undefined)
    this.#items.push(item)
    this.#size += weight
    this.#added++
    if (!this.#draining) this.#schedule()
  }

  /** Writes all queued items. Resolves when they are written or lost. */
  async flush(): Promise<void> {
    const target = this.#added
    while (this.#done < target) {
      this.#draining ??= this.#detach(() => this.#drain())
      await this.#draining
    }
  }

  /** Writes all queued items and reports losses that are not reported yet. */
  async close(): Promise<void> {
    await this.flush()
    clearTimeout(this.#reportTimer)
    if (this.#unreported > 0) this.#report()
  }

  /** Writes one batch and schedules the next one for another turn of the event loop. */
  async #drain(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await new Promise((resolve) => setImmediate(resolve))
    const { items, weight } = this.#take()
    try {
      await this.#options.write(items)
    } catch (error) {
      this.#lose(weight, error)
    }
    this.#done += items.length
    this.#draining = undefined
    this.#schedule()
  }

  #schedule(): void {
    const { batch, everyMs } = this.#options
    if (this.#size >= batch) this.#draining ??= this.#detach(() => this.#drain())
    else if (this.#items.length > 0)
      this.#timer ??= this.#detach(() => setTimeout(() => void this.flush(), everyMs).unref())
  }

  /** Removes the oldest items, up to one batch. */
  #take(): { readonly items: readonly T[]; readonly weight: number } {
    const { batch } = this.#options
    let weight = 0
    let count = 0
    for (; count < this.#items.length && weight < batch; count++)
      weight += this.#weightOf(this.#items[count] as T)
    const items = this.#items
    this.#items = items.splice(count)
    this.#size -= weight
    return { items, weight }
  }

  #weightOf(item: T): number {
    return this.#options.weigh?.(item) ?? 1
  }

  #lose(count: number, cause: unknown): void {
    this.#lost += count
    this.#unreported += count
    this.#cause ??= cause
    if (this.#reportTimer) return
    // the first loss is reported immediately, later ones are summed up
    this.#detach(() => {
      this.#report()
      this.#reportTimer = setTimeout(() => {
        this.#reportTimer = undefined
        if (this.#unreported > 0) this.#report()
      }, REPORT_INTERVAL_MS).unref()
    })
  }

  #report(): void {
    this.#options.onLost(this.#unreported, this.#cause)
    this.#unreported = 0
    this.#cause = undefined
  }
}
