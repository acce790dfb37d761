import { DAY_MS } from '../../activity-store.ts'
import type { PostgresDatabase, PostgresQueries } from '../connection/database.ts'
import { sqlState } from './sql-state.ts'

/** A statement that needs the whole table waits no longer than this for those that use it. */
const LOCK_TIMEOUT_MS = 500
const LOCK_NOT_AVAILABLE = '55P03'

export interface DayPartitionsOptions {
  readonly database: PostgresDatabase
  /** The partitioned table. */
  readonly table: string
  /** The table with a row for each partition. */
  readonly days: string
  /** Difference of the partition key between two days. */
  readonly keysPerDay: number
}

/** The partitions of a table, one for each day of its records. Any machine creates and drops them. */
export class DayPartitions {
  readonly #options: DayPartitionsOptions
  #known = new Set<number>()

  constructor(options: DayPartitionsOptions) {
    this.#options = options
  }

  /** Creates the partitions of these days and of the days after them, unless they exist. */
  async ensure(days: Iterable<number>): Promise<void> {
    const missing = [...new Set(days)].filter((day) => !this.#known.has(day))
    if (missing.length === 0) return
    const all = new Set(missing.flatMap((day) => [day, day + 1]))
    await this.#options.database.transaction(async (tx) => {
      await this.#lock(tx)
      for (const day of all) await this.#create(tx, day)
    })
    for (const day of all) this.#known.add(day)
  }

  /** Forgets which partitions exist: another machine may have dropped some. */
  forget(): void {
    this.#known = new Set()
  }

  /** Drops the partition of a day, in the transaction. Returns `false` if it is in use: the transaction has failed. */
  async drop(tx: PostgresQueries, day: number): Promise<void> {
    const { days } = this.#options
    await tx.change({ text: `DELETE FROM ${days} WHERE day = $1`, values: [day] })
    await tx.change({ text: `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}` })
    await tx.change({ text: `DROP TABLE IF EXISTS ${this.#nameOf(day)}` })
    this.#known.delete(day)
  }

  /** Partitions are created by one machine at a time. */
  async #lock(tx: PostgresQueries): Promise<void> {
    const { table } = this.#options
    await tx.change({
      text: `SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || '.${table}', 0))`,
    })
  }

  /** A table is attached, as `PARTITION OF` would wait for all who use the partitioned one, and make others wait. */
  async #create(tx: PostgresQueries, day: number): Promise<void> {
    const { table, days, keysPerDay } = this.#options
    const added = await tx.change({
      text: `INSERT INTO ${days} (day) VALUES ($1) ON CONFLICT DO NOTHING`,
      values: [day],
    })
    if (added === 0) return
    const name = this.#nameOf(day)
    const [from, to] = [day * keysPerDay, (day + 1) * keysPerDay]
    await tx.change({ text: `CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)` })
    await tx.change({
      text: `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`,
    })
  }

  #nameOf(day: number): string {
    const [date = ''] = new Date(day * DAY_MS).toISOString().split('T')
    return `"${this.#options.table}_${date.replaceAll('-', '_')}"`
  }
}

/** Whether a partition could not be dropped as it was in use. */
export function isInUse(error: unknown): boolean {
  return sqlState(error) === LOCK_NOT_AVAILABLE
}
