import { AsyncResource } from 'node:async_hooks'

export interface BatchQueueOptions<T> {
  /** Items that wait at most; beyond it new ones are dropped. */
  readonly limit: number
  /** Items that are handed over at a time. */
  readonly batch: number
  /** As how many an item counts, in all numbers here. Default one. */
  readonly weigh?: (item: T) => number
  /** Milliseconds until items are handed over that are fewer than a batch. */
  readonly everyMs: number
  /** Takes items, in order; not called again before it is done. What it throws loses the batch. */
  readonly write: (items: readonly T[]) => void | Promise<void>
  /** Told how many items were lost since it was told last, at most every ten seconds. */
  readonly onLost: (count: number, cause: unknown) => void
}

const TELL_EVERY_MS = 10_000

/** Collects items and hands them over in batches, between turns of the event loop. Adding never waits. */
export class BatchQueue<T> {
  readonly #options: BatchQueueOptions<T>
  /** Runs what the queue does by itself: none of it belongs to whoever added something. */
  readonly #apart = AsyncResource.bind(<R>(work: () => R): R => work())
  #items: T[] = []
  #size = 0
  #added = 0
  #done = 0
  #timer: NodeJS.Timeout | undefined
  #draining: Promise<void> | undefined
  #lost = 0
  #untold = 0
  #cause: unknown
  #telling: NodeJS.Timeout | undefined

  constructor(options: BatchQueueOptions<T>) {
    this.#options = options
  }

  /** Items that wait. */
  get size(): number {
    return this.#size
  }

  /** Items that were dropped or could not be written, since the start. */
  get lost(): number {
    return this.#lost
  }

  add(item: T): void {
    const weight = this.#weightOf(item)
    if (this.#size >= this.#options.limit) return this.#lose(weight, undefined)
    this.#items.push(item)
    this.#size += weight
    this.#added++
    if (!this.#draining) this.#plan()
  }

  /** Hands over what waits; fulfils when that is written or lost. */
  async flush(): Promise<void> {
    const until = this.#added
    while (this.#done < until) {
      this.#draining ??= this.#apart(() => this.#drain())
      await this.#draining
    }
  }

  /** Hands over what waits, and says what was lost and not told yet. */
  async close(): Promise<void> {
    await this.flush()
    clearTimeout(this.#telling)
    if (this.#untold > 0) this.#tell()
  }

  /** Writes one batch, and sees to it that another turn writes the next. */
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
    this.#plan()
  }

  #plan(): void {
    const { batch, everyMs } = this.#options
    if (this.#size >= batch) this.#draining ??= this.#apart(() => this.#drain())
    else if (this.#items.length > 0)
      this.#timer ??= this.#apart(() => setTimeout(() => void this.flush(), everyMs).unref())
  }

  /** The oldest items, as many as make up a batch. */
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
    this.#untold += count
    this.#cause ??= cause
    if (this.#telling) return
    // the first loss is told at once, what follows is gathered
    this.#apart(() => {
      this.#tell()
      this.#telling = setTimeout(() => {
        this.#telling = undefined
        if (this.#untold > 0) this.#tell()
      }, TELL_EVERY_MS).unref()
    })
  }

  #tell(): void {
    this.#options.onLost(this.#untold, this.#cause)
    this.#untold = 0
    this.#cause = undefined
  }
}
