import type { LogOwners, LogRetention, LogRow, LogStore } from '../log-store.ts'
import { IDS_PER_MS } from '../log-store.ts'
import { LOG_COLUMNS } from '../rows/log-columns.ts'
import { LogList } from '../sql/log-list.ts'
import type { Sql } from '../sql/sql.ts'
import type { Database, Statement } from './driver.ts'
import { inTransaction } from './transaction.ts'

/** Log records in SQLite. */
export class SqliteLogs implements LogStore {
  readonly list: LogStore['list']
  readonly #database: Database
  readonly #insert: Statement
  readonly #newest: Statement
  readonly #expire: Statement
  readonly #deleteOldest: Statement
  readonly #delete: Statement
  readonly #total: Statement
  /** Number of records, counted once and then maintained: counting scans the table. */
  #count: number | undefined

  constructor(database: Database, sql: Sql) {
    this.list = new LogList(sql).read
    const prepare = (sql: string) => database.prepare(sql)
    const names = LOG_COLUMNS.map(([column]) => column)
    const oldest = 'DELETE FROM logs WHERE id IN (SELECT id FROM logs'
    this.#database = database
    this.#insert = prepare(
      `INSERT INTO logs (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    this.#delete = prepare(
      `DELETE FROM logs WHERE execution_id IN (SELECT value FROM json_each(?))
         OR trace_id IN (SELECT value FROM json_each(?))`,
    )
    this.#total = prepare('SELECT count(*) AS total FROM logs')
    this.#newest = prepare('SELECT max(id) AS id FROM logs')
    this.#expire = prepare(`${oldest} WHERE id < ? ORDER BY id LIMIT ?)`)
    this.#deleteOldest = prepare(`${oldest} ORDER BY id LIMIT ?)`)
  }

  async insert(rows: readonly LogRow[]): Promise<void> {
    inTransaction(this.#database, () => {
      for (const row of rows) this.#insert.run(...LOG_COLUMNS.map(([, key]) => row[key]))
    })
    if (this.#count !== undefined) this.#count += rows.length
  }

  async delete({ executionIds, traceIds }: LogOwners): Promise<number> {
    const deleted = Number(this.#delete.run(JSON.stringify(executionIds), JSON.stringify(traceIds)).changes)
    if (this.#count !== undefined) this.#count -= deleted
    return deleted
  }

  async newest(): Promise<number> {
    return (this.#newest.get() as { id: number | null }).id ?? 0
  }

  async count(): Promise<number> {
    return this.#counted()
  }

  async prune({ before, keep }: LogRetention, limit: number): Promise<number> {
    const expired = Number(this.#expire.run(before * IDS_PER_MS, limit).changes)
    const surplus = expired > 0 ? 0 : this.#counted() - keep
    const deleted = surplus > 0 ? Number(this.#deleteOldest.run(Math.min(surplus, limit)).changes) : expired
    if (this.#count !== undefined) this.#count -= deleted
    return deleted
  }

  /** No other process writes to the database. */
  follow(): () => void {
    return () => undefined
  }

  #counted(): number {
    this.#count ??= (this.#total.get() as { total: number }).total
    return this.#count
  }
}
