import type { AnswerParts } from '../../../store/agents/agent-journal.ts'

interface PartLogDeps {
  readonly runId: string
  readonly writes: GroupWrites<PartLog>
  /** Called when there are new parts, or the end. */
  readonly onChange: () => void
  /** Called when parts could not be stored. */
  readonly onFailed: (error: unknown) => void
}

/** The parts of an answer in progress, as JSON texts numbered from 1. Only those that are not stored yet are in memory. */
export class PartLog {
  readonly #deps: PartLogDeps
  #lines: string[] = []
  /** The number of the first part in memory. */
  #first = 1
  /** The last part that is being stored. */
  #drained = 0
  /** Resolves when the parts that wait to be stored are. */
  #waiting: Promise<void> | undefined
  #storing: Promise<void> = Promise.resolve()
  #end: 'complete' | 'incomplete' | undefined

  constructor(deps: PartLogDeps) {
    this.#deps = deps
  }

  /** `incomplete`: the answer continues elsewhere. */
  get end(): 'complete' | 'incomplete' | undefined {
    return this.#end
  }

  /** The number of the last part. */
  get last(): number {
    return this.#first - 1 + this.#lines.length
  }

  push(line: string): void {
    this.#lines.push(line)
    this.#waiting ??= this.#storeLater()
    this.#deps.onChange()
  }

  /** Ends the answer with its last part, which is not stored: the end of the run is. */
  close(last: string | undefined): void {
    if (last !== undefined) this.#lines.push(last)
    this.#end = last === undefined ? 'incomplete' : 'complete'
    this.#deps.onChange()
  }

  /** The parts after a number; `undefined` when some of them are not in memory any more. */
  after(seq: number): readonly string[] | undefined {
    return seq + 1 < this.#first ? undefined : this.#lines.slice(seq + 1 - this.#first)
  }

  /** Resolves when all parts are stored. */
  async flush(): Promise<void> {
    this.#deps.writes.hurry()
    while (this.#waiting) await this.#waiting
    await this.#storing
  }

  /** The parts that are not stored yet. */
  drain(): AnswerParts {
    const { runId } = this.#deps
    this.#waiting = undefined
    const lines = this.#lines.slice(this.#drained + 1 - this.#first)
    this.#drained += lines.length
    return { runId, seq: this.#drained, data: lines.join('\n') }
  }

  #storeLater(): Promise<void> {
    const stored = this.#store()
    this.#storing = stored
    return stored
  }

  async #store(): Promise<void> {
    try {
      await this.#deps.writes.add(this)
      this.#lines = this.#lines.slice(this.#drained + 1 - this.#first)
      this.#first = this.#drained + 1
    } catch (error) {
      this.#deps.onFailed(error)
    }
  }
}

interface Waiting<Item> {
  readonly item: Item
  readonly resolve: (stored: boolean) => void
  readonly reject: (error: unknown) => void
}

/** Group commit: items that come within a time, or while others are being stored, are stored together. */
export class GroupWrites<Item> {
  readonly #write: (items: readonly Item[]) => Promise<readonly boolean[]>
  readonly #delayMs: number
  #waiting: Waiting<Item>[] = []
  #isBusy = false
  #timer: NodeJS.Timeout | undefined

  /** @param write stores items; `false` for those that were refused */
  constructor(write: (items: readonly Item[]) => Promise<readonly boolean[]>, delayMs = 0) {
    this.#write = write
    this.#delayMs = delayMs
  }

  /** Resolves with whether the item was stored. */
  add(item: Item): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#schedule()
    })
  }

  /** Stores what waits without a delay. */
  hurry(): void {
    if (!this.#timer) return
    clearTimeout(this.#timer)
    void this.#flush()
  }

  #schedule(): void {
    if (this.#isBusy || this.#waiting.length === 0) return
    this.#isBusy = true
    const flush = () => void this.#flush()
    if (this.#delayMs === 0) setImmediate(flush)
    else this.#timer = setTimeout(flush, this.#delayMs)
  }

  async #flush(): Promise<void> {
    this.#timer = undefined
    const batch = this.#waiting
    this.#waiting = []
    try {
      const stored = await this.#write(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(stored[index] ?? false)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    this.#isBusy = false
    this.#schedule()
  }
}
