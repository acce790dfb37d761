import type { LogFilter, LogOwners, LogPage, LogRetention, LogRow } from '../log-store.ts'
import { IDS_PER_MS } from '../log-store.ts'
import { INDEXED_LOG_CONDITIONS, LOG_COLUMNS } from '../rows/log-columns.ts'
import type { Database, SqlValue, Statement } from './driver.ts'
import { StatementCache } from './statement-cache.ts'
import { inTransaction } from './transaction.ts'
import { patternOf, wordsIn } from '../rows/like-pattern.ts'

const SELECTED = LOG_COLUMNS.map(([column, key]) => `${column} AS ${key}`).join(', ')

/** Records that are scanned in one turn of the event loop, which takes a few milliseconds. */
const SCANNED_AT_ONCE = 10_000

interface Condition {
  readonly text: string
  readonly values: readonly SqlValue[]
}

interface Conditions {
  /** Conditions that an index answers. */
  readonly indexed: readonly Condition[]
  /** Conditions that need a scan of the records. */
  readonly others: readonly Condition[]
  /** A check of the matched records; `undefined` if the conditions are exact. */
  readonly fits: ((row: LogRow) => boolean) | undefined
}

/** Log records in SQLite. */
export class Logs {
  readonly #database: Database
  readonly #insert: Statement
  readonly #newest: Statement
  readonly #expire: Statement
  readonly #deleteOldest: Statement
  readonly #delete: Statement
  readonly #filtered: StatementCache
  /** Number of records, counted once and then maintained: counting scans the table. */
  #count: number | undefined

  constructor(database: Database) {
    const prepare = (sql: string) => database.prepare(sql)
    const names = LOG_COLUMNS.map(([column]) => column)
    const oldest = 'DELETE FROM logs WHERE id IN (SELECT id FROM logs'
    this.#database = database
    this.#filtered = new StatementCache(database)
    this.#insert = prepare(
      `INSERT INTO logs (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    this.#delete = prepare(
      `DELETE FROM logs WHERE execution_id IN (SELECT value FROM json_each(?))
         OR trace_id IN (SELECT value FROM json_each(?))`,
    )
    this.#newest = prepare('SELECT max(id) AS id FROM logs')
    this.#expire = prepare(`${oldest} WHERE id < ? ORDER BY id LIMIT ?)`)
    this.#deleteOldest = prepare(`${oldest} ORDER BY id LIMIT ?)`)
  }

  insert(rows: readonly LogRow[]): void {
    inTransaction(this.#database, () => {
      for (const row of rows) this.#insert.run(...LOG_COLUMNS.map(([, key]) => row[key]))
    })
    if (this.#count !== undefined) this.#count += rows.length
  }

  delete({ executionIds, traceIds }: LogOwners): number {
    const deleted = Number(this.#delete.run(JSON.stringify(executionIds), JSON.stringify(traceIds)).changes)
    if (this.#count !== undefined) this.#count -= deleted
    return deleted
  }

  newest(): number {
    return (this.#newest.get() as { id: number | null }).id ?? 0
  }

  async list(filter: LogFilter, { limit, before }: LogPage): Promise<LogRow[]> {
    const conditions = conditionsOf(filter, before)
    const { indexed, others } = conditions
    return others.length === 0 ? this.#select(indexed, limit) : this.#search(conditions, limit)
  }

  count(): number {
    this.#count ??= (
      this.#filtered.get('SELECT count(*) AS total FROM logs').get() as { total: number }
    ).total
    return this.#count
  }

  prune({ before, keep }: LogRetention, limit: number): number {
    const expired = Number(this.#expire.run(before * IDS_PER_MS, limit).changes)
    const surplus = expired > 0 ? 0 : this.count() - keep
    const deleted = surplus > 0 ? Number(this.#deleteOldest.run(Math.min(surplus, limit)).changes) : expired
    if (this.#count !== undefined) this.#count -= deleted
    return deleted
  }

  #select(conditions: readonly Condition[], limit: number): LogRow[] {
    const sql = `SELECT ${SELECTED} FROM logs ${where(conditions)} ORDER BY id DESC LIMIT ?`
    return this.#filtered.get(sql).all(...valuesOf(conditions), limit) as LogRow[]
  }

  /** Scans the records from the newest on, one range in each turn of the event loop. */
  async #search({ indexed, others, fits }: Conditions, limit: number): Promise<LogRow[]> {
    const found: LogRow[] = []
    for (let end = Number.MAX_SAFE_INTEGER; ;) {
      const { id, total } = this.#nextRange([...indexed, { text: 'id < ?', values: [end] }])
      if (id === null) return found
      for (let below: number | undefined = end; below !== undefined;) {
        const wanted = limit - found.length
        const within = { text: 'id < ? AND id >= ?', values: [below, id] }
        const rows = this.#select([...indexed, within, ...others], wanted)
        found.push(...(fits ? rows.filter(fits) : rows))
        below = rows.length === wanted && found.length < limit ? rows.at(-1)?.id : undefined
      }
      if (found.length === limit || total < SCANNED_AT_ONCE) return found
      end = id
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** The oldest id of the next range, and the number of records in it. */
  #nextRange(conditions: readonly Condition[]): { readonly id: number | null; readonly total: number } {
    const newest = `SELECT id FROM logs ${where(conditions)} ORDER BY id DESC LIMIT ${SCANNED_AT_ONCE}`
    const statement = this.#filtered.get(`SELECT min(id) AS id, count(*) AS total FROM (${newest})`)
    return statement.get(...valuesOf(conditions)) as { id: number | null; total: number }
  }
}

function conditionsOf(filter: LogFilter, before: number | undefined): Conditions {
  const { level, since, until, traced = false, words = [] } = filter
  const keys = (Object.keys(INDEXED_LOG_CONDITIONS) as (keyof typeof INDEXED_LOG_CONDITIONS)[]).filter(
    (key) => filter[key] !== undefined,
  )
  const [first, ...rest] = [
    ...keys.map((key) => ({ text: INDEXED_LOG_CONDITIONS[key], values: [filter[key] as string] })),
    ...(level === undefined ? [] : [{ text: levelText(level), values: [] }]),
  ]
  const hasWords = wordsIn(words)
  return {
    indexed: [
      ...(first ? [first] : []),
      ...(since === undefined ? [] : [{ text: 'id >= ?', values: [since * IDS_PER_MS] }]),
      ...(until === undefined ? [] : [{ text: 'id < ?', values: [until * IDS_PER_MS] }]),
      ...(before === undefined ? [] : [{ text: 'id < ?', values: [before] }]),
    ],
    others: [
      ...rest,
      ...(traced ? [{ text: 'trace_id IS NOT NULL', values: [] }] : []),
      ...words.map((word) => ({ text: HAS_WORD, values: [patternOf(word), patternOf(word)] })),
    ],
    fits: hasWords && (({ message, attributes }) => hasWords(`${message}\n${attributes}`)),
  }
}

const HAS_WORD = `(message LIKE ? ESCAPE '!' OR attributes LIKE ? ESCAPE '!')`

/** A condition that SQLite matches with a partial index: the term of the index is included literally. */
function levelText(level: number): string {
  const indexed = level >= 50 ? 'level >= 50 AND ' : level >= 40 ? 'level >= 40 AND ' : ''
  return `${indexed}level >= ${Math.trunc(level)}`
}

function where(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map(({ text }) => text).join(' AND ')}`
}

function valuesOf(conditions: readonly Condition[]): SqlValue[] {
  return conditions.flatMap(({ values }) => values)
}
