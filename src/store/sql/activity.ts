import { ACTIVITY_SLICE_MS } from '../../contract/endpoints/activity.ts'
import type {
  ActivityCounts,
  ActivityQuery,
  ActivityStore,
  HourCounts,
  RecentAgentRun,
  RecentExecution,
  SliceCounts,
  SliceQuery,
} from '../activity-store.ts'
import { FAILED, IS_LISTED, NEEDS_INPUT } from '../rows/executions/execution-columns.ts'
import { HOUR_COLUMNS } from '../rows/hour-columns.ts'
import type { Dialect } from './dialect.ts'
import type { Sql } from './sql.ts'

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
  FROM agent_runs WHERE agent_id = ? ORDER BY started_at DESC, number DESC LIMIT ?`

function hoursQuery({ isServer }: Dialect): string {
  const columns = HOUR_COLUMNS.map(([column, key]) => `${isServer ? sumOf(column) : column} AS "${key}"`)
  return `SELECT hour, ${columns.join(', ')} FROM hours WHERE hour >= ? ${isServer ? 'GROUP BY hour' : ''} ORDER BY hour`
}

function slicesQuery({ jsonNumber }: Dialect): string {
  const newest = (columns: string, table: string) =>
    `(SELECT ended_at, ${columns} FROM ${table} WHERE ended_at > ? ORDER BY ended_at DESC LIMIT ?) AS ended`
  const is = (status: string) => `CASE WHEN status = '${status}' THEN 1 ELSE 0 END`
  // the usage of a sub-agent is in that of the run that called it
  const tokens = (key: string) =>
    `CASE WHEN requester = 'agent' THEN 0 ELSE coalesce(${jsonNumber('usage', key)}, 0) END`
  const sums = ['completed', 'errors', 'cancelled', 'answers', 'inputTokens', 'outputTokens'].map(
    (name) => `CAST(sum("${name}") AS bigint) AS "${name}"`,
  )
  return `SELECT slice, ${sums.join(', ')} FROM (
    SELECT ended_at / ${ACTIVITY_SLICE_MS} AS slice, ${is('completed')} AS completed, ${is('error')} AS errors,
      ${is('cancelled')} AS cancelled, 0 AS answers, 0 AS "inputTokens", 0 AS "outputTokens"
      FROM ${newest('status', 'executions')}
    UNION ALL
    SELECT ended_at / ${ACTIVITY_SLICE_MS}, 0, 0, 0, 1, ${tokens('inputTokens')}, ${tokens('outputTokens')}
      FROM ${newest('usage, requester', 'agent_runs')}
  ) AS counted GROUP BY slice ORDER BY slice`
}

/** Queries of the counts. Open executions are counted in small partial indexes. */
export class SqlActivity implements ActivityStore {
  readonly #sql: Sql
  readonly #hours: string
  readonly #slices: string

  constructor(sql: Sql) {
    this.#sql = sql
    this.#hours = hoursQuery(sql.dialect)
    this.#slices = slicesQuery(sql.dialect)
  }

  async counts({ failedAfter, limit }: ActivityQuery): Promise<ActivityCounts> {
    const values = [limit, limit, limit, failedAfter, limit]
    return (await this.#sql.first<ActivityCounts>(COUNTS, values)) as ActivityCounts
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
}
