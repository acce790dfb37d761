import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { streamed } from '../../support/model/model-provider.ts'
import { spansOf, treeOf } from '../../support/telemetry/span-tree.ts'
import { A2aDesk, saying } from './a2a-desk.ts'

const desk = new A2aDesk()
beforeAll(() => desk.open())
afterAll(() => desk.close())

const MESSAGE = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: '2 + 2?' }] }
const SPAN = 'b7ad6b7169203331'

describe('an A2A request', () => {
  it('is in the trace of its caller, with the agent’s answer', async () => {
    const traceId = 'a2'.repeat(16)
    desk.provider.script(streamed(['Four']))
    const { status, body } = await desk.rpc(
      { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: MESSAGE } },
      { 'A2A-Version': '1.0', traceparent: `00-${traceId}-${SPAN}-01` },
    )
    expect([status, body.error]).toEqual([200, undefined])
    const spans = await spansOf(desk.server, traceId)
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
      'agentserver.user.id': 'ada',
    })
  })

  it('that is streamed has its span until the stream ends', async () => {
    const client = await desk.connect()
    desk.provider.script(streamed(['Fo', 'ur']))
    for await (const _ of client.sendMessageStream(saying('2 + 2?'))) continue
    const traces = await desk.server.ask('/observability/traces?limit=1', {
      headers: { 'x-service-dev': 'true' },
    })
    const { data } = (await traces.json()) as { data: [{ traceId: string; status: string }] }
    expect(data[0].status).toBe('ok')
    const [request, agent] = await spansOf(desk.server, data[0].traceId)
    expect(agent?.name).toBe('invoke_agent helper')
    expect(Date.parse(request?.endTime ?? '')).toBeGreaterThanOrEqual(Date.parse(agent?.endTime ?? ''))
  })
})
