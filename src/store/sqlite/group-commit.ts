import type { Database, Statement } from './driver.ts'
import { rollBack } from './transaction.ts'

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Group commit: what is added in one turn of the event loop is stored in one transaction. A commit costs more than most
 * changes that it stores.
 */
export class GroupCommit {
  readonly #database: Database
  readonly #begin: Statement
  readonly #commit: Statement
  #waiting: Waiting[] = []

  constructor(database: Database) {
    this.#database = database
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
  }

  /** Resolves with what `work` returns, once its changes are stored. Rejects with what it throws: nothing of it is stored then. */
  run<Result>(work: () => Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.flush())
      this.#waiting.push({ work, resolve: resolve as Waiting['resolve'], reject })
    })
  }

  /** Stores what was added. */
  flush(): void {
    const batch = this.#waiting
    if (batch.length === 0) return
    this.#waiting = []
    try {
      const results = this.#store(batch)
      for (const [index, { resolve }] of batch.entries()) resolve(results[index])
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      else for (const one of batch) this.#storeAlone(one)
    }
  }

  /** One that can't be stored fails its whole batch: alone, the others succeed. */
  #storeAlone(one: Waiting): void {
    try {
      one.resolve(this.#store([one])[0])
    } catch (error) {
      one.reject(error)
    }
  }

  #store(batch: readonly Waiting[]): unknown[] {
    this.#begin.run()
    try {
      const results = batch.map(({ work }) => work())
      this.#commit.run()
      return results
    } catch (error) {
      rollBack(this.#database)
      throw error
    }
  }
}
