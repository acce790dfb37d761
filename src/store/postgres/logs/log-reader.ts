import type { LogFilter, LogPage, LogRow } from '../../log-store.ts'
import { IDS_PER_MS } from '../../log-store.ts'
import { INDEXED_LOG_CONDITIONS, LOG_COLUMNS } from '../../rows/log-columns.ts'
import { patternOf, wordsIn } from '../../rows/like-pattern.ts'
import type { PostgresDatabase } from '../connection/database.ts'
import { unescapeNul } from '../escape-nul.ts'
import { numberParameters } from '../parameters.ts'
import { valuesOf, whereAll } from '../../sql/conditions.ts'
import type { Condition } from '../../sql/conditions.ts'
import type { TailPosition } from '../telemetry/remote-tail.ts'

const SELECTED = LOG_COLUMNS.map(([column, key]) => `${column} AS "${key}"`).join(', ')

/** By the rules of the pattern, whatever the database's locale: only the case of ASCII letters is ignored. */
const HAS_WORD = `(message COLLATE "C" ILIKE ? ESCAPE '!' OR attributes COLLATE "C" ILIKE ? ESCAPE '!')`

/** Records of one process that are read at a time. */
const TAIL_PAGE = 500

const TAIL = `SELECT record.* FROM unnest($1::bigint[], $2::bigint[]) AS process(epoch, last), LATERAL (
    SELECT owner_epoch AS "ownerEpoch", id AS number, ${SELECTED} FROM logs
    WHERE owner_epoch = process.epoch AND id > process.last ORDER BY id LIMIT ${TAIL_PAGE}
  ) AS record ORDER BY record.id`

/** The owner epochs, each found in the index from the one before, and their newest records. */
const NEWEST = `WITH RECURSIVE process AS (
    (SELECT owner_epoch FROM logs ORDER BY owner_epoch LIMIT 1)
    UNION ALL SELECT (SELECT owner_epoch FROM logs WHERE owner_epoch > process.owner_epoch ORDER BY owner_epoch LIMIT 1)
    FROM process WHERE process.owner_epoch IS NOT NULL
  ) SELECT owner_epoch AS "ownerEpoch",
    (SELECT max(id) FROM logs WHERE logs.owner_epoch = process.owner_epoch) AS number
  FROM process WHERE owner_epoch IS NOT NULL`

/** A record and its place in the order of its process. */
export type TailedLog = LogRow & TailPosition

/** Queries of log records. */
export class PostgresLogReader {
  readonly #database: PostgresDatabase
  readonly #ownerEpoch: number

  constructor(database: PostgresDatabase, ownerEpoch: number) {
    this.#database = database
    this.#ownerEpoch = ownerEpoch
  }

  async list(filter: LogFilter, { limit, before }: LogPage): Promise<LogRow[]> {
    const conditions = conditionsOf(filter)
    const fits = fitsOf(filter)
    const found: LogRow[] = []
    for (let below = before; found.length < limit;) {
      const wanted = limit - found.length
      const rows = await this.#select(
        below === undefined ? conditions : [...conditions, { text: 'id < ?', values: [below] }],
        wanted,
      )
      found.push(...rows.filter(fits))
      if (rows.length < wanted) break
      below = rows.at(-1)?.id
    }
    return found
  }

  async count(): Promise<number> {
    const [row] = await this.#database.rows<{ total: number }>({
      name: 'count-logs',
      text: 'SELECT coalesce(sum(records), 0)::bigint AS total FROM log_days',
    })
    return row?.total ?? 0
  }

  async newest(): Promise<number> {
    const [row] = await this.#database.rows<{ id: number | null }>({
      text: 'SELECT max(id) AS id FROM logs WHERE owner_epoch = $1',
      values: [this.#ownerEpoch],
    })
    return row?.id ?? 0
  }

  newestOfAll(): Promise<readonly TailPosition[]> {
    return this.#database.rows({ text: NEWEST })
  }

  async after(positions: readonly TailPosition[]): Promise<readonly TailedLog[]> {
    const rows = await this.#database.rows<TailedLog>({
      name: 'tail-logs',
      text: TAIL,
      values: [positions.map(({ ownerEpoch }) => ownerEpoch), positions.map(({ number }) => number)],
    })
    return rows.map((row) => ({ ...restored(row), ownerEpoch: row.ownerEpoch, number: row.number }))
  }

  async #select(conditions: readonly Condition[], limit: number): Promise<LogRow[]> {
    const rows = await this.#database.rows<LogRow>({
      text: numberParameters(`SELECT ${SELECTED} FROM logs ${whereAll(conditions)} ORDER BY id DESC LIMIT ?`),
      values: [...valuesOf(conditions), limit],
    })
    return rows.map((row) => restored(row))
  }
}

function conditionsOf(filter: LogFilter): Condition[] {
  const { level, since, until, traced = false, words = [] } = filter
  const keys = (Object.keys(INDEXED_LOG_CONDITIONS) as (keyof typeof INDEXED_LOG_CONDITIONS)[]).filter(
    (key) => filter[key] !== undefined,
  )
  return [
    ...keys.map((key) => ({ text: INDEXED_LOG_CONDITIONS[key], values: [filter[key] as string] })),
    // not a parameter: the planner has to see that a partial index covers it
    ...(level === undefined ? [] : [{ text: `level >= ${Math.trunc(level)}`, values: [] }]),
    ...(since === undefined ? [] : [{ text: 'id >= ?', values: [Math.trunc(since) * IDS_PER_MS] }]),
    ...(until === undefined ? [] : [{ text: 'id < ?', values: [Math.trunc(until) * IDS_PER_MS] }]),
    ...(traced ? [{ text: 'trace_id IS NOT NULL', values: [] }] : []),
    ...words.map((word) => ({ text: HAS_WORD, values: [patternOf(word), patternOf(word)] })),
  ]
}

/** The check for what the conditions do not say exactly. */
function fitsOf({ words = [] }: LogFilter): (row: LogRow) => boolean {
  const hasWords = wordsIn(words)
  return hasWords ? ({ message, attributes }) => hasWords(`${message}\n${attributes}`) : () => true
}

function restored(row: LogRow): LogRow {
  const { id, timestamp, level, message, attributes, traceId, spanId, executionId, workflowId, agentId } = row
  return {
    id,
    timestamp,
    level,
    message: unescapeNul(message),
    attributes,
    traceId,
    spanId,
    executionId,
    workflowId,
    agentId,
  }
}
