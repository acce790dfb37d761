import { deferred } from '../../../lib/deferred.ts'
import type { Deferred } from '../../../lib/deferred.ts'
import type { ExecutionStore, ExecutionWrite } from '../../../store/store.ts'

/** Something with changes to store. `take` hands over all of them and starts anew. */
export interface JournalSource {
  take(): ExecutionWrite
}

type Waiter = Deferred<boolean>

/**
 * Group commit: what all executions have to store in one turn of the event loop goes into one transaction.
 * Whoever waits is answered after it is on disk.
 */
export class Journal {
  readonly #store: ExecutionStore
  #waiting = new Map<JournalSource, Waiter>()
  #scheduled = false
  #writing = false

  constructor(store: ExecutionStore) {
    this.#store = store
  }

  /** Stores the source's changes with the next commit. `false`: the store refused them. */
  commit(source: JournalSource): Promise<boolean> {
    const known = this.#waiting.get(source)
    if (known) return known.promise
    const waiter = deferred<boolean>()
    this.#waiting.set(source, waiter)
    this.#schedule()
    return waiter.promise
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
    const waiting = [...this.#waiting]
    this.#waiting = new Map()
    this.#scheduled = false
    this.#writing = true
    const writes = waiting.map(([source]) => source.take())
    const waiters = waiting.map(([, waiter]) => waiter)
    try {
      answer(waiters, await this.#store.write(writes))
    } catch (error) {
      await this.#writeApart(writes, waiters, error)
    }
    this.#writing = false
    this.#schedule()
  }

  /** A batch that can't be stored may hold a single write that can't: the others must not fail with it. */
  async #writeApart(
    writes: readonly ExecutionWrite[],
    waiters: readonly Waiter[],
    error: unknown,
  ): Promise<void> {
    if (writes.length === 1) return waiters[0]?.reject(error)
    for (const [index, write] of writes.entries()) {
      const waiter = waiters[index] as Waiter
      try {
        answer([waiter], await this.#store.write([write]))
      } catch (cause) {
        waiter.reject(cause)
      }
    }
  }
}

function answer(waiters: readonly Waiter[], applied: readonly boolean[]): void {
  for (const [index, waiter] of waiters.entries()) waiter.resolve(applied[index] === true)
}
