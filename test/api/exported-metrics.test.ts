import { createAgent, demoModel } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { expect, it, vi } from 'vitest'
import { messagesOf } from '../support/server/event-stream.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'
import { OtlpCollector, plain } from '../support/telemetry/otlp-collector.ts'

const agent = { name: 'A', instructions: 'x' }
const failing = scriptedModel([new TypeError('no luck')], { repeatLast: true })
const agents = [
  createAgent({ ...agent, id: 'demo', model: demoModel() }),
  createAgent({ ...agent, id: 'failing', model: failing }),
]

it('the model calls of agents are exported as metrics, at the latest when the server stops', async () => {
  const collector = await OtlpCollector.start()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
  const server = new TestServer({ agents })
  const answer = await dataOf<{ usage: { inputTokens: number } }>(
    server.post('/agents/demo/text', { input: 'Hi' }),
  )
  await messagesOf(server.post('/agents/demo/stream', { input: 'Hi' }))
  await messagesOf(server.post('/agents/failing/stream', { input: 'Hi' }))
  await server.post('/agents/failing/text', { input: 'Hi' })
  await server.close()
  const pointsOf = (name: string) => {
    const { histogram } = collector.metrics.find((one) => one.name === name) ?? {}
    return (histogram?.dataPoints ?? []).map((point) => ({ ...point, ...plain(point.attributes) }))
  }
  const demo = { 'gen_ai.provider.name': 'demo', 'gen_ai.response.model': 'demo' }
  const { inputTokens } = answer.usage
  expect(pointsOf('gen_ai.client.token.usage')).toMatchObject([
    { ...demo, 'gen_ai.token.type': 'input', count: 2, sum: 2 * inputTokens },
    { ...demo, 'gen_ai.token.type': 'output', count: 2 },
  ])
  expect(pointsOf('gen_ai.client.operation.duration')).toMatchObject([
    { ...demo, count: 2 },
    { 'error.type': 'TypeError', count: 2 },
  ])
  expect(collector.metrics.map(({ name }) => name)).toContain('agentserver_agent_runs_total')
  expect(collector.names).toContain('chat demo')
  await collector.close()
  vi.unstubAllEnvs()
})
