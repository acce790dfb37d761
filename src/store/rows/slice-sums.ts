import { ACTIVITY_SLICE_MS } from '../../contract/endpoints/activity.ts'

/** How a database writes what the query of slices needs. */
export interface SliceDialect {
  readonly after: string
  readonly limit: string
  /** The number at a key of the JSON text in the column `usage`. */
  readonly used: (key: string) => string
}

/** The query of `ActivityStore.slices`. */
export function slicesQuery({ after, limit, used }: SliceDialect): string {
  const newest = (columns: string, table: string) =>
    `(SELECT ended_at, ${columns} FROM ${table} WHERE ended_at > ${after} ORDER BY ended_at DESC LIMIT ${limit}) AS ended`
  const is = (status: string) => `CASE WHEN status = '${status}' THEN 1 ELSE 0 END`
  // the usage of a sub-agent is in that of the run that called it
  const tokens = (key: string) => `CASE WHEN requester = 'agent' THEN 0 ELSE coalesce(${used(key)}, 0) END`
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
