import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { lazy } from '../../lib/async/lazy.ts'
import type { MetricFamily } from '../../lib/telemetry/metrics.ts'
import { VERSION } from '../../lib/packages/own-package.ts'

/** Sources of the gauges, read for each scrape. */
export interface GaugeSources {
  /** Running executions by workflow. */
  readonly running: () => ReadonlyMap<string, number>
  /** Queue sizes by queue. */
  readonly waiting: () => Readonly<Record<string, number>>
  /** Telemetry that was dropped since the start, by kind. */
  readonly dropped: () => Readonly<Record<string, number>>
  /** Age of the oldest change that searches don't find yet, in milliseconds. */
  readonly searchLagMs: () => number
  /** Parts of budgets that are used. */
  readonly budgets: () => readonly UsedBudget[]
  readonly sockets: () => number
  readonly streams: () => number
}

/** The part of a budget that the user or agent has used that has used most of it. */
export interface UsedBudget {
  readonly declaredOn: string
  readonly per: string
  /** The length of its window in hours. */
  readonly hours: number
  readonly ratio: number
}

const NANO = 1e9
const RESOLUTION_MS = 20

/** Returns a function that reads the current values. The lag of the event loop is that since its previous call. */
export function createGauges(sources: GaugeSources): () => MetricFamily[] {
  const lag = lazy(() => {
    const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    monitor.enable()
    return monitor
  })
  return () => [
    labelledMetric('agentserver_executions_running', 'Running executions.', {
      label: 'workflow',
      values: [...sources.running()],
    }),
    labelledMetric('agentserver_queue_size', 'Telemetry in the queue for the database or the exporter.', {
      label: 'queue',
      values: Object.entries(sources.waiting()),
    }),
    labelledMetric('agentserver_telemetry_dropped_total', 'Telemetry that was dropped since the start.', {
      label: 'kind',
      values: Object.entries(sources.dropped()),
      type: 'counter',
    }),
    gauge(
      'agentserver_search_lag_seconds',
      "Age of the oldest change that searches don't find yet in seconds; 0 while the index is up to date.",
      sources.searchLagMs() / 1000,
    ),
    budgetRatios(sources.budgets()),
    gauge('agentserver_websocket_clients', 'Open WebSocket connections.', sources.sockets()),
    gauge('agentserver_event_streams', 'Open event streams.', sources.streams()),
    eventLoopLag(lag()),
    ...processGauges(),
  ]
}

/** Of budgets with the same labels, that of which most is used. */
function budgetRatios(budgets: readonly UsedBudget[]): MetricFamily {
  const ratios = new Map<string, { labels: string[]; value: number }>()
  for (const { declaredOn, per, hours, ratio } of budgets) {
    const labels = [declaredOn, per, `${hours}h`]
    const key = labels.join('|')
    ratios.set(key, { labels, value: Math.max(ratio, ratios.get(key)?.value ?? 0) })
  }
  return {
    type: 'gauge',
    name: 'agentserver_budget_used_ratio',
    help: 'Used part of budgets with a window, reservations included: of the user or agent that has used most of its own.',
    labels: ['declared_on', 'per', 'every'],
    points: [...ratios.values()],
  }
}

/** Event loop lag since the previous scrape. The monitor starts with the first scrape. */
function eventLoopLag(monitor: ReturnType<typeof monitorEventLoopDelay>): MetricFamily {
  // the monitor measures its timer, whose interval is no lag
  const seconds = (nanos: number) =>
    monitor.count === 0 ? 0 : Math.max(0, nanos / NANO - RESOLUTION_MS / 1000)
  const values = [
    ['0.5', seconds(monitor.percentile(50))],
    ['0.99', seconds(monitor.percentile(99))],
    ['1', seconds(monitor.max)],
  ] as const
  monitor.reset()
  return labelledMetric(
    'agentserver_event_loop_lag_seconds',
    'Event loop lag since the previous scrape in seconds.',
    // the label `quantile` is reserved for summaries
    { label: 'quantile', values, type: 'summary' },
  )
}

function processGauges(): MetricFamily[] {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const { utilization } = performance.eventLoopUtilization()
  return [
    gauge(
      'agentserver_event_loop_utilization',
      'Share of time that the event loop was busy since the start.',
      utilization,
    ),
    gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', rss),
    gauge('nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.', heapUsed),
    gauge('nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.', heapTotal),
    gauge('nodejs_external_memory_bytes', 'Node.js external memory size in bytes.', external),
    {
      type: 'counter',
      name: 'process_cpu_seconds_total',
      help: 'Total user and system CPU time spent in seconds.',
      points: [{ labels: [], value: (user + system) / 1e6 }],
    },
    gauge(
      'process_start_time_seconds',
      'Start time of the process since unix epoch in seconds.',
      performance.timeOrigin / 1000,
    ),
    {
      type: 'gauge',
      name: 'agentserver_build_info',
      help: 'Version of the server and of Node.js.',
      labels: ['version', 'node'],
      points: [{ labels: [VERSION, process.version], value: 1 }],
    },
  ]
}

function gauge(name: string, help: string, value: number): MetricFamily {
  return { type: 'gauge', name, help, points: [{ labels: [], value }] }
}

interface Labelled {
  readonly label: string
  readonly values: readonly (readonly [labelValue: string, value: number])[]
  readonly type?: 'counter' | 'gauge' | 'summary'
}

function labelledMetric(
  name: string,
  help: string,
  { label, values, type = 'gauge' }: Labelled,
): MetricFamily {
  const points = values.map(([text, value]) => ({ labels: [text], value }))
  return { type, name, help, labels: [label], points }
}
