import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { streamed } from '../../support/model/model-provider.ts'
import { spansOf, treeOf } from '../../support/telemetry/span-tree.ts'
import { A2aTestServer, sending } from './a2a-test-server.ts'

const a2a = new A2aTestServer()
beforeAll(() => a2a.open())
afterAll(() => a2a.close())

const MESSAGE = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: '2 + 2?' }] }
const SPAN = 'b7ad6b7169203331'

describe('an A2A request', () => {
  it('is in the trace of its caller, with the run of the agent', async () => {
    const traceId = 'a2'.repeat(16)
    a2a.provider.script(streamed(['Four']))
    const { status, body } = await a2a.rpc(
      { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: MESSAGE } },
      { 'A2A-Version': '1.0', traceparent: `00-${traceId}-${SPAN}-01` },
    )
    expect([status, body.error]).toEqual([200, undefined])
    const spans = await spansOf(a2a.server, traceId)
    const [request, agent] = spans
    expect(treeOf(spans).map((line) => line.replace(/chat \S+/, 'chat'))).toEqual([
      'POST /agents/:id/a2a [server ok]',
      '  invoke_agent helper [internal ok]',
      '    chat [client ok]',
    ])
    expect(request).toMatchObject({ parentSpanId: SPAN, attributes: { 'http.route': '/agents/:id/a2a' } })
    expect(agent?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': 'helper',
      'user.id': 'ada',
    })
  })

  it('that is streamed has a span until the stream ends', async () => {
    const client = await a2a.connect()
    a2a.provider.script(streamed(['Fo', 'ur']))
    for await (const _ of client.sendMessageStream(sending('2 + 2?'))) continue
    const traces = await a2a.server.request('/observability/traces?limit=1', {
      headers: { 'x-service-dev': 'true' },
    })
    const { data } = (await traces.json()) as { data: [{ traceId: string; status: string }] }
    expect(data[0].status).toBe('ok')
    const [request, agent] = await spansOf(a2a.server, data[0].traceId)
    expect(agent?.name).toBe('invoke_agent helper')
    expect(Date.parse(request?.endTime ?? '')).toBeGreaterThanOrEqual(Date.parse(agent?.endTime ?? ''))
  })
})
