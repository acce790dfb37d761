import { ServerMetrics } from '../../../src/observability/metrics/server-metrics.ts'
import type { Blocks } from './generated-blocks.ts'
import { code, table } from './markdown.ts'

/** The generated parts of docs/reference/metrics.md. */
export function metricBlocks(): Blocks {
  return {
    metrics: table(
      ['Metric', 'Type', 'Labels', 'Meaning'],
      renderedMetrics().map(({ name, type, labels, help }) => [
        code(name),
        type,
        labels.map((label) => code(label)).join(', ') || '–',
        help,
      ]),
    ),
  }
}

interface Metric {
  readonly name: string
  readonly type: string
  readonly labels: readonly string[]
  readonly help: string
}

/** The metrics of a server that has counted one of everything. */
function renderedMetrics(): Metric[] {
  const metrics = new ServerMetrics({
    running: () => new Map([['order', 1]]),
    waiting: () => ({ logs: 0 }),
    dropped: () => ({ logs: 0 }),
    searchLagMs: () => 0,
    sockets: () => 0,
    streams: () => 0,
  })
  metrics.execution('order', { type: 'workflow-start' })
  metrics.idTaken('order')
  metrics.eventMisfit('order')
  metrics.execution('order', { type: 'workflow-suspended', fields: { misfits: [] } })
  metrics.execution('order', { type: 'workflow-complete' })
  metrics.execution('order', { type: 'step-complete', fields: { stepType: 'andThen', durationMs: 1 } })
  const usage = {
    inputTokens: 1,
    outputTokens: 1,
    totalTokens: 2,
    cachedInputTokens: 1,
    reasoningTokens: 1,
    costUsd: 0.1,
  }
  metrics.agentRun({ agentId: 'support', model: 'demo/demo', status: 'completed', usage })
  metrics.request({ method: 'GET', route: '/', status: 200, seconds: 0.1 })
  const text = metrics.render()
  return [...text.matchAll(/^# HELP (\S+) (.+)\n# TYPE \S+ (\S+)\n(?:\S*?(?:\{(.*?)\})? )?/gm)].map(
    ([, name = '', help = '', type = '', labels = '']) => ({
      name,
      help,
      type,
      labels: [...labels.matchAll(/(\w+)="/g)]
        .map(([, label = '']) => label)
        .filter((label) => label !== 'le'),
    }),
  )
}
