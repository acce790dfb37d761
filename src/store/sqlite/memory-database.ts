import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../store.ts'
import { openDatabase } from './driver.ts'
import type { Database } from './driver.ts'
import { migrate } from './migrations/migrate.ts'
import { openSqliteStore } from './sqlite-store.ts'
import { StatementCache } from './statement-cache.ts'

/** The tables that have no rows before their first use. */
const EMPTY_TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table'
  AND sql NOT LIKE '%singleton%' AND name NOT LIKE 'search\\_text%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`

/** A database in memory that outlives the stores on it, for processes that come one after the other. */
export class MemoryDatabase {
  readonly #database: Database
  readonly #clear: string

  constructor() {
    const opened = openDatabase(':memory:')
    migrate(opened)
    // each store prepares the same statements
    const statements = new StatementCache(opened)
    this.#database = {
      exec: (sql) => opened.exec(sql),
      prepare: (sql) => statements.get(sql),
      close: () => opened.close(),
    }
    const tables = opened.prepare(EMPTY_TABLES).all() as { readonly name: string }[]
    this.#clear = tables.map(({ name }) => `DELETE FROM ${name}`).join(';')
  }

  /** The store of the next process, which becomes the owner. */
  open(clock: Clock): Store {
    return openSqliteStore({ file: ':memory:', database: this.#database, clock })
  }

  /** Deletes all records. No store may be open. */
  clear(): void {
    this.#database.exec(this.#clear)
  }

  /**
   * What the next store learns about the ends of earlier processes: that they were killed after more than a minute. No step
   * is blamed for that.
   */
  settleLives(): void {
    this.#database.exec('UPDATE lives SET settled = 1')
  }

  close(): void {
    this.#database.close()
  }
}
