import type { LiveServer } from '../../server/live-server.ts'

/** The schedules of a configuration and whether they start executions; `undefined` when there are none. */
export function schedulesText({
  config,
  runsSchedules,
}: Pick<LiveServer, 'config' | 'runsSchedules'>): string | undefined {
  const schedules = config?.schedules ?? []
  if (schedules.length === 0) return undefined
  const ids = schedules.map(({ id }) => id).join(', ')
  return runsSchedules ? `${ids} (they start executions here)` : `${ids} (off: --no-schedules)`
}
