import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../../../src/lib/clock.ts'
import { MetricExport } from '../../../../src/observability/export/metric-export.ts'
import { ServerMetrics } from '../../../../src/observability/metrics/server-metrics.ts'
import { OtlpCollector, plain, status } from '../../../support/telemetry/otlp-collector.ts'

let collector: OtlpCollector
const exports: MetricExport[] = []
beforeEach(async () => {
  collector = await OtlpCollector.start()
})
afterEach(async () => {
  for (const one of exports.splice(0)) await one.close(0)
  await collector.close()
})

function exporting(more: Record<string, string> = {}, enabled = true, machine?: string) {
  const lines: string[] = []
  const logger = { info: (text: string) => lines.push(text), warn: (text: string) => lines.push(text) }
  const metrics = new ServerMetrics({
    running: () => new Map([['order', 2]]),
    waiting: () => ({ logs: 0 }),
    dropped: () => ({ logs: 3 }),
    searchLagMs: () => 0,
    sockets: () => 1,
    streams: () => 0,
    machine: () => machine,
  })
  const env: Record<string, string> = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_METRIC_EXPORT_INTERVAL: '100',
    ...more,
  }
  const exported = new MetricExport({
    read: metrics.read,
    enabled: () => enabled,
    instanceId: () => machine,
    env,
    clock: systemClock,
    logger: logger as never,
  })
  exports.push(exported)
  exported.refresh()
  return { exported, metrics, lines, env }
}

const usage = {
  inputTokens: 20,
  outputTokens: 3,
  totalTokens: 23,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costUsd: 0.5,
}
const metric = (name: string) => collector.metrics.find((one) => one.name === name)

it('the collector receives the metrics of model calls by the conventions', async () => {
  const { exported, metrics } = exporting({ OTEL_METRIC_EXPORT_INTERVAL: '60000' })
  metrics.modelCall({ provider: 'openai', modelId: 'gpt-x', responseModel: 'gpt-x-1', seconds: 0.03, usage })
  metrics.modelCall({ provider: 'openai', modelId: 'gpt-x', seconds: 100, errorType: '429' })
  await exported.close(2000)
  expect(collector.requests).toMatchObject([{ path: '/v1/metrics' }])
  const tokens = metric('gen_ai.client.token.usage')
  expect(tokens).toMatchObject({ unit: '{token}' })
  const call = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-x',
  }
  expect(tokens?.histogram?.dataPoints.map(({ attributes, sum }) => [plain(attributes), sum])).toEqual([
    [{ ...call, 'gen_ai.response.model': 'gpt-x-1', 'gen_ai.token.type': 'input' }, 20],
    [{ ...call, 'gen_ai.response.model': 'gpt-x-1', 'gen_ai.token.type': 'output' }, 3],
  ])
  const bounds = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864]
  expect(tokens?.histogram?.dataPoints[0]).toMatchObject({ explicitBounds: bounds, count: 1 })
  expect(tokens?.histogram?.dataPoints[0]?.bucketCounts).toEqual([
    0,
    0,
    0,
    1,
    ...bounds.slice(3).map(() => 0),
  ])
  const duration = metric('gen_ai.client.operation.duration')
  expect(duration).toMatchObject({ unit: 's' })
  expect(duration?.histogram?.dataPoints).toMatchObject([
    {
      sum: 0.03,
      explicitBounds: [
        0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
      ],
    },
    { sum: 100, count: 1 },
  ])
  // beyond the last bound
  expect(duration?.histogram?.dataPoints[1]?.bucketCounts?.at(-1)).toBe(1)
  expect(plain(duration?.histogram?.dataPoints[1]?.attributes ?? [])).toEqual({
    ...call,
    'error.type': '429',
  })
})

it('the collector receives the metrics of the server, with the time that they cover', async () => {
  const { exported, metrics } = exporting({ OTEL_METRIC_EXPORT_INTERVAL: '60000', OTEL_SERVICE_NAME: 'shop' })
  metrics.execution('order', { type: 'workflow-start' })
  metrics.request({ method: 'GET', route: '/workflows', status: 200, seconds: 0.002 })
  await exported.close(2000)
  const started = metric('agentserver_executions_started_total')
  expect(started?.sum).toMatchObject({ isMonotonic: true, dataPoints: [{ asDouble: 1 }] })
  const [point] = started?.sum?.dataPoints ?? []
  expect(plain(point?.attributes ?? [])).toEqual({ workflow: 'order' })
  expect(Number(point?.startTimeUnixNano)).toBeLessThanOrEqual(Number(point?.timeUnixNano))
  expect(metric('agentserver_executions_running')?.gauge?.dataPoints[0]).toMatchObject({ asDouble: 2 })
  expect(metric('process_resident_memory_bytes')).toMatchObject({ unit: 'By' })
  expect(metric('agentserver_http_request_duration_seconds')).toMatchObject({ unit: 's', histogram: {} })
  expect(metric('agentserver_event_loop_lag_seconds')?.gauge?.dataPoints).toHaveLength(3)
  expect(collector.requests[0]?.body.toString()).toContain('"service.name","value":{"stringValue":"shop"}')
})

it('metrics are sent again and again, also after an outage, which is logged once', async () => {
  collector.answers.push(status(503), status(503))
  const { lines } = exporting()
  await expect
    .poll(() => lines)
    .toEqual([
      expect.stringMatching(
        /^Cannot export metrics to http:.*\/v1\/metrics: The collector responded with 503/,
      ),
      expect.stringMatching(/^Metrics are exported to http:.*\/v1\/metrics again$/),
    ])
})

it.each([
  ['there is no endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, true],
  [
    'there is only one for traces',
    { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9' },
    true,
  ],
  ['they are turned off', { OTEL_METRICS_EXPORTER: 'none' }, true],
  ['telemetry is off', {}, false],
])('nothing is sent when %s', async (_, env, enabled) => {
  const { exported } = exporting(env, enabled)
  await exported.close(2000)
  expect(collector.requests).toEqual([])
})

it('the variables for metrics take precedence, and changes apply at once', async () => {
  const { exported, env } = exporting({
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/own`,
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'x-tenant=shop',
  })
  await expect
    .poll(() => collector.requests[0])
    .toMatchObject({
      path: '/own',
      headers: { 'content-type': 'application/x-protobuf', 'x-tenant': 'shop' },
    })
  env['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'] = ''
  env['OTEL_EXPORTER_OTLP_METRICS_PROTOCOL'] = ''
  exported.refresh()
  await expect.poll(() => collector.metrics.length).toBeGreaterThan(10)
})

it('metrics of one of several machines have its id: exported as service.instance.id, scraped as the label machine', async () => {
  const { exported, metrics } = exporting({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, true, 'web-1:7')
  metrics.request({ method: 'GET', route: '/', status: 200, seconds: 0.1 })
  await exported.close(2000)
  const body = collector.requests.at(-1)?.body.toString()
  expect(body).toContain('{"key":"service.instance.id","value":{"stringValue":"web-1:7"}}')
  expect(body).not.toContain('"machine"')
  const text = metrics.render()
  expect(text).toContain(
    'agentserver_http_requests_total{method="GET",route="/",status="200",machine="web-1:7"} 1',
  )
  expect(text).toContain('process_resident_memory_bytes{machine="web-1:7"} ')
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  expect(samples.filter((line) => !line.includes('machine="web-1:7"'))).toEqual([])
})

it('metrics of a machine with a database of its own have no id', async () => {
  const { exported, metrics } = exporting({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' })
  await exported.close(2000)
  expect(collector.requests.at(-1)?.body.toString()).not.toContain('service.instance.id')
  expect(metrics.render()).not.toContain('machine=')
})
