import type {
  ActivityCounts,
  ActivityStore,
  HourCounts,
  RecentAgentRun,
  RecentExecution,
  SliceCounts,
} from '../../activity-store.ts'
import { FAILED, IS_LISTED, NEEDS_INPUT } from '../../rows/executions/execution-columns.ts'
import { HOUR_COLUMNS } from '../../rows/hour-columns.ts'
import { slicesQuery } from '../../rows/slice-sums.ts'
import type { PostgresQueries } from '../connection/database.ts'
import { escapeNul, unescapeNul } from '../escape-nul.ts'
import { originalRow } from './execution-rows.ts'

const counted = (where: string) =>
  `(SELECT count(*) FROM (SELECT FROM executions WHERE ${where} AND ${IS_LISTED} LIMIT $2) found)`

const COUNTS = `SELECT
  ${counted("ended_at IS NULL AND status = 'running'")} AS running,
  ${counted("ended_at IS NULL AND status = 'suspended'")} AS suspended,
  ${counted(NEEDS_INPUT)} AS waiting,
  ${counted(`${FAILED} AND ended_at > $1`)} AS failed`

/** The sum of a column of a group; null if a value is unknown. */
export function sumOf(column: string): string {
  return `CASE WHEN count(${column}) = count(*) THEN sum(${column})::bigint END`
}

const HOURS = `SELECT hour, ${HOUR_COLUMNS.map(([column, key]) => `${sumOf(column)} AS "${key}"`).join(', ')}
  FROM hours WHERE hour >= $1 GROUP BY hour ORDER BY hour`

const SLICES = slicesQuery({
  after: '$1',
  limit: '$2',
  used: (key) => `(usage::json ->> '${key}')::bigint`,
})

/** Queries of the counts. Open executions are counted in small partial indexes. */
export function postgresActivity(database: PostgresQueries): ActivityStore {
  return {
    counts: async ({ failedAfter, limit }) => {
      const query = { name: 'activity_counts', text: COUNTS, values: [failedAfter, limit] }
      const [counts] = await database.rows<ActivityCounts>(query)
      return counts ?? { running: 0, suspended: 0, waiting: 0, failed: 0 }
    },
    hours: (from) => database.rows<HourCounts>({ name: 'activity_hours', text: HOURS, values: [from] }),
    slices: ({ after, limit }) =>
      database.rows<SliceCounts>({ name: 'activity_slices', text: SLICES, values: [after, limit] }),
    recentAgentRuns: async (agentId, limit) => {
      const rows = await database.rows<RecentAgentRun>({
        name: 'recent_agent_runs',
        text: `SELECT id, status, started_at AS "startedAt", ended_at AS "endedAt", trace_id AS "traceId"
          FROM agent_runs WHERE agent_id = $1 ORDER BY started_at DESC, number DESC LIMIT $2`,
        values: [escapeNul(agentId), limit],
      })
      return rows.map((row) => ({ ...row, id: unescapeNul(row.id) }))
    },
    recent: async (workflowId, limit) => {
      const rows = await database.rows<RecentExecution>({
        name: 'recent_executions',
        text: `SELECT id, status, created_at AS "createdAt", ended_at AS "endedAt" FROM executions
          WHERE workflow_id = $1 ORDER BY created_at DESC, number DESC LIMIT $2`,
        values: [escapeNul(workflowId), limit],
      })
      return rows.map((row) => originalRow(row))
    },
  }
}
