import type { Applied, ExecutionStore, ExecutionWrite } from '../../store/execution-store.ts'

/** A record with staged changes. */
export interface CommitSource {
  /** Returns all staged changes and clears them. */
  drain(): ExecutionWrite
  /** The drained changes are on disk, or the store refused them because their condition failed (`false`). */
  onCommitted(applied: Applied): void
  /** The drained changes could not be stored. */
  onFailed(cause: unknown): void
}

/**
 * Group commit: the changes that all executions stage in one turn of the event loop are stored in one
 * transaction, after which each source is notified.
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

  /** Resolves when no changes wait to be stored. */
  async idle(): Promise<void> {
    while (this.#writing || this.#waiting.size > 0) await new Promise((resolve) => setImmediate(resolve))
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing || this.#waiting.size === 0) return
    this.#scheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    const sources = [...this.#waiting]
    if (sources.length === 0) return
    this.#waiting = new Set()
    this.#writing = true
    const writes = sources.map((source) => source.drain())
    const failed = (error: unknown) => void this.#writeOneByOne(sources, { writes, error })
    let applied
    try {
      applied = this.#store.write(writes)
    } catch (error) {
      return failed(error)
    }
    // a promise for what is known at once would cost each step boundary a turn
    if (applied instanceof Promise) applied.then((later) => this.#written(sources, later), failed)
    else this.#written(sources, applied)
  }

  #written(sources: readonly CommitSource[], applied: readonly Applied[]): void {
    this.#writing = false
    for (const [index, source] of sources.entries()) this.#notify(source, applied[index])
    this.#schedule()
  }

  /** One write that can't be stored fails its whole batch: stored one by one, the others succeed. */
  async #writeOneByOne(
    sources: readonly CommitSource[],
    { writes, error }: { writes: readonly ExecutionWrite[]; error: unknown },
  ): Promise<void> {
    const [first] = sources
    if (first && sources.length === 1) this.#fail(first, error)
    else
      for (const [index, source] of sources.entries()) {
        let applied: readonly Applied[]
        try {
          applied = await this.#store.write(writes.slice(index, index + 1))
        } catch (cause) {
          this.#fail(source, cause)
          continue
        }
        this.#notify(source, applied[0])
      }
    this.#writing = false
    this.#schedule()
  }

  // changes staged since the drain build on the drained ones: when those are lost, they are not stored either

  #notify(source: CommitSource, applied: Applied = false): void {
    if (applied === false || applied === 'full') this.#waiting.delete(source)
    source.onCommitted(applied)
  }

  #fail(source: CommitSource, cause: unknown): void {
    this.#waiting.delete(source)
    source.onFailed(cause)
  }
}
