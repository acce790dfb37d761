const newest = (times: readonly string[]) => `(SELECT max(at) FROM (${times.join(' UNION ALL ')}) AS times)`

/**
 * A query of the time of the newest record, as `at`; null without records. Telemetry counts only without other records: a
 * start with a wrong clock writes it too. `prefix` is of the names of tables.
 */
export function newestRecordQuery(prefix = ''): string {
  const records = newest([
    `SELECT max(created_at) AS at FROM ${prefix}executions`,
    `SELECT max(ended_at) FROM ${prefix}executions WHERE ended_at IS NOT NULL`,
    `SELECT max(ended_at) FROM ${prefix}agent_runs WHERE ended_at IS NOT NULL`,
  ])
  const telemetry = newest([
    `SELECT max(started_at) AS at FROM ${prefix}traces`,
    `SELECT max(id) / 1024 FROM ${prefix}logs`,
  ])
  return `SELECT coalesce(${records}, ${telemetry}) AS at`
}
