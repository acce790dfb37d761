import type { Database, Statement } from './driver.ts'

/** Prepared statements by their SQL. The number of filter combinations bounds its size. */
export class StatementCache {
  readonly #database: Database
  readonly #prepared = new Map<string, Statement>()

  constructor(database: Database) {
    this.#database = database
  }

  get(sql: string): Statement {
    const known = this.#prepared.get(sql)
    if (known) return known
    const made = this.#database.prepare(sql)
    this.#prepared.set(sql, made)
    return made
  }
}
