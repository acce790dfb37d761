import type { ActivityCounts, ActivityStore, HourCounts, RecentExecution } from '../../activity-store.ts'
import { FAILED, NEEDS_INPUT } from '../../rows/execution-columns.ts'
import { HOUR_COLUMNS } from '../../rows/hour-columns.ts'
import type { PostgresQueries } from '../connection/database.ts'
import { escapeNul } from '../escape-nul.ts'
import { originalRow } from './execution-rows.ts'

const counted = (where: string) =>
  `(SELECT count(*) FROM (SELECT FROM executions WHERE ${where} LIMIT $2) found)`

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

/** Queries of the counts. Open executions are counted in small partial indexes. */
export function postgresActivity(database: PostgresQueries): ActivityStore {
  return {
    counts: async ({ failedAfter, limit }) => {
      const query = { name: 'activity_counts', text: COUNTS, values: [failedAfter, limit] }
      const [counts] = await database.rows<ActivityCounts>(query)
      return counts ?? { running: 0, suspended: 0, waiting: 0, failed: 0 }
    },
    hours: (from) => database.rows<HourCounts>({ name: 'activity_hours', text: HOURS, values: [from] }),
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
