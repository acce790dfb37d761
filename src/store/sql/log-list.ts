import type { LogFilter, LogPage, LogRow } from '../log-store.ts'
import { IDS_PER_MS } from '../log-store.ts'
import { patternOf, wordsIn } from '../rows/like-pattern.ts'
import { INDEXED_LOG_CONDITIONS, LOG_COLUMNS } from '../rows/log-columns.ts'
import { conditionsOf, given, valuesOf, whereAll } from './conditions.ts'
import type { Condition } from './conditions.ts'
import type { Dialect } from './dialect.ts'
import type { Sql } from './sql.ts'

const SELECTED = LOG_COLUMNS.map(([column, key]) => `${column} AS "${key}"`).join(', ')

/** Records that are scanned in one turn of the event loop, which takes a few milliseconds. */
const SCANNED_AT_ONCE = 10_000

interface Search {
  /** Conditions that an index answers. */
  readonly indexed: readonly Condition[]
  /** Conditions that need a scan of the records. */
  readonly others: readonly Condition[]
  /** A check of the matched records; `undefined` if the conditions are exact. */
  readonly fits: ((row: LogRow) => boolean) | undefined
}

/** Pages of log records. */
export class LogList {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  readonly read = async (filter: LogFilter, { limit, before }: LogPage): Promise<LogRow[]> => {
    const { dialect } = this.#sql
    const search = searchOf(filter, before, dialect)
    const isScanned = search.others.length > 0 && !dialect.isServer
    return isScanned ? this.#scan(search, limit) : this.#matching(search, limit)
  }

  /** The newest records that match; further ones are read in place of those that do not fit. */
  async #matching({ indexed, others, fits }: Search, limit: number): Promise<LogRow[]> {
    const found: LogRow[] = []
    for (let below: Condition[] = []; ;) {
      const wanted = limit - found.length
      const conditions = [...indexed, ...below, ...others]
      const rows = await this.#sql.filtered<LogRow>(
        `SELECT ${SELECTED} FROM logs ${whereAll(conditions)} ORDER BY id DESC LIMIT ?`,
        [...valuesOf(conditions), wanted],
      )
      found.push(...(fits ? rows.filter(fits) : rows))
      const last = rows.at(-1)
      if (found.length === limit || rows.length < wanted || !last) return found
      below = [{ text: 'id < ?', values: [last.id] }]
    }
  }

  /** Scans the records from the newest on, one range in each turn of the event loop. */
  async #scan({ indexed, ...search }: Search, limit: number): Promise<LogRow[]> {
    const found: LogRow[] = []
    for (let end = Number.MAX_SAFE_INTEGER; ;) {
      const below = [...indexed, { text: 'id < ?', values: [end] }]
      const { id, total } = await this.#nextRange(below)
      if (id === null) return found
      const range = [...below, { text: 'id >= ?', values: [id] }]
      found.push(...(await this.#matching({ ...search, indexed: range }, limit - found.length)))
      if (found.length === limit || total < SCANNED_AT_ONCE) return found
      end = id
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** The oldest id of the next range, and the number of records in it. */
  async #nextRange(conditions: readonly Condition[]): Promise<Range> {
    const newest = `SELECT id FROM logs ${whereAll(conditions)} ORDER BY id DESC LIMIT ${SCANNED_AT_ONCE}`
    const text = `SELECT min(id) AS id, count(*) AS total FROM (${newest}) AS newest`
    const [range] = await this.#sql.filtered<Range>(text, valuesOf(conditions))
    return range as Range
  }
}

interface Range {
  readonly id: number | null
  readonly total: number
}

function searchOf(filter: LogFilter, before: number | undefined, { like }: Dialect): Search {
  const { level, since, until, traced = false, words = [] } = filter
  const [first, ...rest] = [
    ...conditionsOf<keyof typeof INDEXED_LOG_CONDITIONS>(INDEXED_LOG_CONDITIONS, filter),
    ...given(level, (value) => ({ text: levelText(value), values: [] })),
  ]
  const hasWord = `(${like('message')} OR ${like('attributes')})`
  const hasWords = wordsIn(words)
  return {
    indexed: [
      ...(first ? [first] : []),
      ...given(since, (at) => ({ text: 'id >= ?', values: [Math.ceil(at * IDS_PER_MS)] })),
      ...given(until, (at) => ({ text: 'id < ?', values: [Math.ceil(at * IDS_PER_MS)] })),
      ...given(before, (id) => ({ text: 'id < ?', values: [id] })),
    ],
    others: [
      ...rest,
      ...(traced ? [{ text: 'trace_id IS NOT NULL', values: [] }] : []),
      ...words.map((word) => ({ text: hasWord, values: [patternOf(word), patternOf(word)] })),
    ],
    fits: hasWords && (({ message, attributes }) => hasWords(`${message}\n${attributes}`)),
  }
}

/** A condition that a partial index answers: its term is included literally. */
function levelText(level: number): string {
  const indexed = level >= 50 ? 'level >= 50 AND ' : level >= 40 ? 'level >= 40 AND ' : ''
  return `${indexed}level >= ${Math.trunc(level)}`
}
