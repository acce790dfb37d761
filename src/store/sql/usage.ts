import { CALL_COLUMNS, CALL_CONDITIONS, PLACE_COLUMNS } from '../rows/call-columns.ts'
import type {
  CallFilter,
  PeriodCalls,
  PlacedCalls,
  StepTimes,
  UsageStore,
  UsageCounts,
  UsageQuery,
  HourCounts,
  RecentAgentRun,
  RecentExecution,
  SliceCounts,
  SliceQuery,
} from '../usage-store.ts'
import { given, valuesOf, whereAll } from './conditions.ts'
import type { Sql } from './sql.ts'
import { USAGE_SLICE_MS } from '../../contract/endpoints/usage.ts'
import { FAILED, IS_LISTED, NEEDS_INPUT } from '../rows/executions/execution-columns.ts'
import { HOUR_COLUMNS } from '../rows/hour-columns.ts'
import type { Dialect } from './dialect.ts'

const SUMS = CALL_COLUMNS.map(([column, key]) => `CAST(sum(${column}) AS bigint) AS "${key}"`).join(', ')
const PLACES = PLACE_COLUMNS.map(([column]) => column).join(', ')
const NAMED_PLACES = PLACE_COLUMNS.map(([column, key]) => `${column} AS "${key}"`).join(', ')
const KEYS = Object.keys(CALL_CONDITIONS) as (keyof CallFilter)[]

const OF_EXECUTION = `SELECT step, agent_id AS "agentId", model,
    ${CALL_COLUMNS.map(([column, key]) => `${column} AS "${key}"`).join(', ')}
  FROM step_models WHERE execution = (SELECT number FROM executions WHERE id = ?) ORDER BY step, agent_id, model`

const counted = (where: string) =>
  `(SELECT count(*) FROM (SELECT 1 FROM executions WHERE ${where} AND ${IS_LISTED} LIMIT ?) AS found)`

const COUNTS = `SELECT
  ${counted("ended_at IS NULL AND status = 'running'")} AS running,
  ${counted("ended_at IS NULL AND status = 'suspended'")} AS suspended,
  ${counted(NEEDS_INPUT)} AS waiting,
  ${counted(`${FAILED} AND ended_at > ?`)} AS failed`

/** The sum of a column of a group; null if a value is unknown. */
export function sumOf(column: string): string {
  return `CASE WHEN count(${column}) = count(*) THEN CAST(sum(${column}) AS bigint) END`
}

const RECENT = `SELECT id, status, created_at AS "createdAt", ended_at AS "endedAt" FROM executions
  WHERE workflow_id = ? ORDER BY created_at DESC, number DESC LIMIT ?`
const RECENT_RUNS = `SELECT id, status, started_at AS "startedAt", ended_at AS "endedAt", trace_id AS "traceId"
  FROM agent_runs WHERE agent_id = ? AND coalesce(requester, '') <> 'lab' ORDER BY started_at DESC, number DESC LIMIT ?`

function hoursQuery({ isServer }: Dialect): string {
  const columns = HOUR_COLUMNS.map(([column, key]) => `${isServer ? sumOf(column) : column} AS "${key}"`)
  return `SELECT hour, ${columns.join(', ')} FROM hours WHERE hour >= ? ${isServer ? 'GROUP BY hour' : ''} ORDER BY hour`
}

function slicesQuery({ jsonNumber }: Dialect): string {
  const newest = (columns: string, table: string, of = '') =>
    `(SELECT ended_at, ${columns} FROM ${table} WHERE ended_at > ? ${of} ORDER BY ended_at DESC LIMIT ?) AS ended`
  const is = (status: string) => `CASE WHEN status = '${status}' THEN 1 ELSE 0 END`
  // the usage of a sub-agent is in that of the run that called it
  const tokens = (key: string) =>
    `CASE WHEN requester = 'agent' THEN 0 ELSE coalesce(${jsonNumber('usage', key)}, 0) END`
  const sums = ['completed', 'errors', 'cancelled', 'answers', 'inputTokens', 'outputTokens'].map(
    (name) => `CAST(sum("${name}") AS bigint) AS "${name}"`,
  )
  return `SELECT slice, ${sums.join(', ')} FROM (
    SELECT ended_at / ${USAGE_SLICE_MS} AS slice, ${is('completed')} AS completed, ${is('error')} AS errors,
      ${is('cancelled')} AS cancelled, 0 AS answers, 0 AS "inputTokens", 0 AS "outputTokens"
      FROM ${newest('status', 'executions')}
    UNION ALL
    SELECT ended_at / ${USAGE_SLICE_MS}, 0, 0, 0, 1, ${tokens('inputTokens')}, ${tokens('outputTokens')}
      FROM ${newest('usage, requester', 'agent_runs', "AND coalesce(requester, '') <> 'lab'")}
  ) AS counted GROUP BY slice ORDER BY slice`
}

/** Queries of the counts. Open executions are counted in small partial indexes. */
export class SqlUsage implements UsageStore {
  readonly #sql: Sql
  readonly #hours: string
  readonly #slices: string
  readonly #stepTimes: string

  constructor(sql: Sql) {
    this.#sql = sql
    this.#hours = hoursQuery(sql.dialect)
    this.#slices = slicesQuery(sql.dialect)
    this.#stepTimes = `SELECT step, bucket, CAST(sum(completed) AS bigint) AS completed,
        CAST(sum(errors) AS bigint) AS errors
      FROM step_days WHERE ${sql.dialect.among('day')} AND workflow_id = ? GROUP BY step, bucket ORDER BY step, bucket`
  }

  async counts({ failedAfter, limit }: UsageQuery): Promise<UsageCounts> {
    const values = [limit, limit, limit, failedAfter, limit]
    return (await this.#sql.first<UsageCounts>(COUNTS, values)) as UsageCounts
  }

  hours(from: number): Promise<HourCounts[]> {
    return this.#sql.all(this.#hours, [from])
  }

  slices({ after, limit }: SliceQuery): Promise<SliceCounts[]> {
    return this.#sql.all(this.#slices, [after, limit, after, limit])
  }

  recent(workflowId: string, limit: number): Promise<RecentExecution[]> {
    return this.#sql.all(RECENT, [workflowId, limit])
  }

  recentAgentRuns(agentId: string, limit: number): Promise<RecentAgentRun[]> {
    return this.#sql.all(RECENT_RUNS, [agentId, limit])
  }

  stepTimes(workflowId: string, days: readonly number[]): Promise<StepTimes[]> {
    return this.#sql.all(this.#stepTimes, [days, workflowId])
  }

  calls(filter: CallFilter): Promise<PlacedCalls[]> {
    return this.#select(NAMED_PLACES, PLACES, filter)
  }

  callsByTime(filter: CallFilter, hours: number): Promise<PeriodCalls[]> {
    return this.#select(`hour / ${hours} * ${hours} AS hour`, `hour / ${hours}`, filter)
  }

  callsOfExecution(executionId: string): Promise<Omit<PlacedCalls, 'workflowId'>[]> {
    return this.#sql.all(OF_EXECUTION, [executionId])
  }

  #select<Row>(columns: string, by: string, filter: CallFilter): Promise<Row[]> {
    const conditions = KEYS.flatMap((key) =>
      given(filter[key], (value) => ({ text: CALL_CONDITIONS[key], values: [value] })),
    )
    const text = `SELECT ${columns}, ${SUMS} FROM model_hours ${whereAll(conditions)} GROUP BY ${by} ORDER BY ${by}`
    return this.#sql.filtered(text, valuesOf(conditions))
  }
}
