import { systemClock } from '../../../src/lib/clock.ts'
import { activeSpanIds } from '../../../src/observability/logs/active-span-ids.ts'
import type { LogEntry } from '../../../src/observability/logs/log-entry.ts'
import { ServerLogs } from '../../../src/observability/logs/server-logs.ts'
import type { ServerLogsOptions } from '../../../src/observability/logs/server-logs.ts'

/** A log that writes into an array. */
export function collectLogs(options: Partial<ServerLogsOptions> = {}): {
  readonly logs: ServerLogs
  readonly printed: LogEntry[]
} {
  const printed: LogEntry[] = []
  const logs = new ServerLogs({
    root: '/project',
    level: 'info',
    clock: systemClock,
    spanIds: activeSpanIds,
    print: (entry) => void printed.push(entry),
    ...options,
  })
  return { logs, printed }
}
