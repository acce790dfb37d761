import { DAY_MS } from '../../../lib/clock.ts'
import type { PostgresDatabase, PostgresQueries } from '../connection/database.ts'
import { tx } from '../../sql/sql.ts'
import type { Sql, Transaction } from '../../sql/sql.ts'
import { sqlState } from './retried.ts'

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

export interface PrunedDays {
  /** Records before this time are deleted. */
  readonly before: number
  /** The column of the table of days that `keep` limits. */
  readonly counted: string
  readonly keep: number
  /** Whether records of a day that is over are kept. */
  readonly isKept?: (day: number) => Transaction<boolean>
  /** Deletes what belongs to the records of a day. */
  readonly deleteOthers?: (day: number) => Transaction<void>
  /** Deletes records that are too old, or else up to a number of the oldest ones. */
  readonly deleteSingle: (surplus: number) => Transaction<number>
}

interface Day {
  readonly day: number
  readonly records: number
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

  /** Deletes records: whole days at once, and single ones of the oldest day. Returns their number. */
  async prune(sql: Sql, pruned: PrunedDays): Promise<number> {
    try {
      return await sql.transaction(() => this.#prune(pruned))
    } catch (error) {
      // a partition is in use
      if (sqlState(error) === LOCK_NOT_AVAILABLE) return 0
      throw error
    }
  }

  *#prune(pruned: PrunedDays): Transaction<number> {
    const { table, days: counts } = this.#options
    const { before, counted, keep, isKept, deleteOthers, deleteSingle } = pruned
    // no other machine until the transaction ends
    const [lock] = yield* tx.all<{ isOnly: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || '.${table} pruner', 0)) AS "isOnly"`,
    )
    if (lock?.isOnly !== true) return 0
    const days = yield* tx.all<Day>(`SELECT day, ${counted} AS records FROM ${counts} ORDER BY day`)
    const [oldest] = days
    if (!oldest) return 0
    const surplus = days.reduce((sum, { records }) => sum + records, 0) - keep
    const isSurplus = surplus > 0 && surplus >= oldest.records
    const isOver = (oldest.day + 1) * DAY_MS <= before
    const isExpired = isOver && !(isKept && (yield* isKept(oldest.day)))
    if (!isSurplus && !isExpired) return yield* deleteSingle(surplus)
    if (deleteOthers) yield* deleteOthers(oldest.day)
    yield* this.#drop(oldest.day)
    // an empty day is no reason to stop
    return oldest.records || (yield* this.#prune(pruned))
  }

  *#drop(day: number): Transaction<void> {
    yield* tx.run(`DELETE FROM ${this.#options.days} WHERE day = ?`, [day])
    yield* tx.run(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    yield* tx.run(`DROP TABLE IF EXISTS ${this.#nameOf(day)}`)
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
