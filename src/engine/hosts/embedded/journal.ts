import { deferred } from '../../../lib/deferred.ts'
import type { Deferred } from '../../../lib/deferred.ts'
import type { ExecutionStore, ExecutionWrite } from '../../../store/store.ts'

/** Something with changes to store. `take` hands over all of them and starts anew. */
export interface JournalSource {
  take(): ExecutionWrite
}

type Waiter = Deferred<boolean>

interface Entry {
  readonly source: JournalSource
  readonly waiter: Waiter
  readonly write: ExecutionWrite
}

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
    const batch = waiting.map(([source, waiter]) => ({ source, waiter, write: source.take() }))
    try {
      answer(batch, await this.#store.write(batch.map(({ write }) => write)))
    } catch (error) {
      await this.#writeApart(batch, error)
    }
    this.#writing = false
    this.#schedule()
  }

  /** A batch that can't be stored may hold a single write that can't: the others must not fail with it. */
  async #writeApart(batch: readonly Entry[], error: unknown): Promise<void> {
    const [first] = batch
    if (first && batch.length === 1) return this.#fail(first, error)
    for (const entry of batch) {
      try {
        answer([entry], await this.#store.write([entry.write]))
      } catch (cause) {
        this.#fail(entry, cause)
      }
    }
  }

  #fail({ source, waiter }: Entry, error: unknown): void {
    waiter.reject(error)
    // what the source has staged meanwhile builds on what is lost
    this.#waiting.get(source)?.reject(error)
    this.#waiting.delete(source)
  }
}

function answer(batch: readonly Entry[], applied: readonly boolean[]): void {
  for (const [index, { waiter }] of batch.entries()) waiter.resolve(applied[index] === true)
}
