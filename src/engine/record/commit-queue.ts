import type { ExecutionStore, ExecutionWrite } from '../../store/execution-store.ts'

/** Something with changes to store. */
export interface CommitSource {
  /** Hands over all of them and starts anew. */
  drain(): ExecutionWrite
  /** What was handed over last is on disk; or the store refused it, where its condition fails. */
  onCommitted(applied: boolean): void
  /** What was handed over last could not be stored. */
  onFailed(cause: unknown): void
}

/**
 * Group commit: what all executions have to store in one turn of the event loop goes into one transaction.
 * Each is told once that is on disk.
 */
export class CommitQueue {
  readonly #store: ExecutionStore
  #waiting = new Set<CommitSource>()
  #scheduled = false
  #writing = false

  constructor(store: ExecutionStore) {
    this.#store = store
  }

  /** Stores the source's changes with the next commit. */
  add(source: CommitSource): void {
    this.#waiting.add(source)
    this.#schedule()
  }

  /** Resolves when nothing waits to be stored. */
  async idle(): Promise<void> {
    while (this.#writing || this.#waiting.size > 0) await new Promise((resolve) => setImmediate(resolve))
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing || this.#waiting.size === 0) return
    this.#scheduled = true
    setImmediate(() => void this.#flush())
  }

  async #flush(): Promise<void> {
    const sources = [...this.#waiting]
    this.#waiting = new Set()
    this.#scheduled = false
    this.#writing = true
    const writes = sources.map((source) => source.drain())
    let applied: readonly boolean[] | undefined
    try {
      applied = await this.#store.write(writes)
    } catch (error) {
      await this.#writeApart(sources, { writes, error })
    }
    this.#writing = false
    this.#schedule()
    if (applied) for (const [index, source] of sources.entries()) source.onCommitted(applied[index] === true)
  }

  /** A batch that can't be stored may hold a single write that can't: the others must not fail with it. */
  async #writeApart(
    sources: readonly CommitSource[],
    { writes, error }: { writes: readonly ExecutionWrite[]; error: unknown },
  ): Promise<void> {
    const [first] = sources
    if (first && sources.length === 1) return this.#fail(first, error)
    for (const [index, source] of sources.entries()) {
      let applied: readonly boolean[]
      try {
        applied = await this.#store.write(writes.slice(index, index + 1))
      } catch (cause) {
        this.#fail(source, cause)
        continue
      }
      source.onCommitted(applied[0] === true)
    }
  }

  /** What the source has staged meanwhile builds on what is lost. */
  #fail(source: CommitSource, cause: unknown): void {
    this.#waiting.delete(source)
    source.onFailed(cause)
  }
}
