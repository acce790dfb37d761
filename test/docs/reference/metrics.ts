import { ServerMetrics } from '../../../src/observability/metrics/server-metrics.ts'
import type { Blocks } from './generated-blocks.ts'
import { code, table } from './markdown.ts'

/** The generated parts of docs/reference/metrics.md. */
export async function metricBlocks(): Promise<Blocks> {
  return {
    metrics: table(
      ['Metric', 'Type', 'Labels', 'Meaning'],
      (await renderedMetrics()).map(({ name, type, labels, help }) => [
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
async function renderedMetrics(): Promise<Metric[]> {
  const metrics = new ServerMetrics({
    running: () => new Map([['order', 1]]),
    waiting: () => ({ logs: 0 }),
    dropped: () => ({ logs: 0 }),
    searchLagMs: () => 0,
    readBudgets: async () => [{ declaredOn: 'config', per: 'user', hours: 24, ratio: 0.5 }],
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
  metrics.budgetExceeded({ declaredOn: 'config', per: 'user' })
  const text = await metrics.scrape()
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
