import type { Engine } from '../engine/engine.ts'
import type { ServerLogs } from '../observability/logs/server-logs.ts'
import { ServerMetrics } from '../observability/metrics/server-metrics.ts'
import type { Traces } from './traces.ts'

interface Measured {
  readonly logs: ServerLogs
  readonly traces: Traces
  /** `undefined` before a configuration is in service. */
  readonly engine: () => Engine | undefined
  readonly sockets: () => number
  readonly streams: () => number
}

/** Counts what the parts of the server do, and looks at them when asked. */
export function createMetrics({ logs, traces, engine, sockets, streams }: Measured): ServerMetrics {
  return new ServerMetrics({
    running: () => engine()?.running ?? new Map<string, number>(),
    waiting: () => ({ logs: logs.waiting, spans: traces.waiting, export: traces.export.waiting }),
    dropped: () => ({ logs: logs.lost, spans: traces.dropped, export: traces.export.status.dropped }),
    sockets,
    streams,
  })
}
