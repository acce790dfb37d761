import { trace } from '@opentelemetry/api'
import { createAgent, createTool, createWorkflow } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { messagesOf } from '../support/server/event-stream.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'
import { spansOf } from '../support/telemetry/span-tree.ts'

const look = createTool({
  name: 'look',
  description: 'Looks',
  inputSchema: { type: 'object' },
  execute: () =>
    trace
      .getTracer('mine')
      .startActiveSpan('db.query', (outer) =>
        trace.getTracer('mine').startActiveSpan('db.rows', (inner) => (inner.end(), outer.end(), 'seen')),
      ),
})
const answers = [{ toolCalls: [{ toolName: 'look', input: {} }] }, { text: 'Seen' }]
const model = () => scriptedModel(answers, { repeatLast: true })
const helper = createAgent({ id: 'helper', name: 'Helper', instructions: 'x', model: model(), tools: [look] })
const streaming = createAgent({
  id: 'streaming',
  name: 'Streaming',
  instructions: 'x',
  model: scriptedModel([{ text: 'Hello', delayMs: 30 }], { repeatLast: true }),
})
const filtered = createAgent({
  id: 'filtered',
  name: 'Filtered',
  instructions: 'x',
  model: scriptedModel([{ text: '', finishReason: 'content-filter' }], { repeatLast: true }),
})
const asking = createAgent({
  id: 'asking',
  name: 'Asking',
  instructions: 'x',
  subAgents: [createAgent({ id: 'inner', name: 'Inner', instructions: 'x', model: model(), tools: [look] })],
  model: scriptedModel(
    [{ toolCalls: [{ toolName: 'ask_inner', input: { prompt: 'Hi' } }] }, { text: 'Done' }],
    { repeatLast: true },
  ),
})
const child = createWorkflow({ id: 'child' }).andThen({ id: 'deep', execute: () => 'deep' })
const consult = createWorkflow({ id: 'consult' })
  .andAgent({
    id: 'ask',
    agent: createAgent({ ...helper, id: 'step', model: model(), tools: [look] }),
    prompt: () => 'Hi',
  })
  .andWorkflow({ id: 'nested', workflow: child, input: () => ({}) })
const server = new TestServer({ workflows: [consult, child], agents: [helper, streaming, filtered, asking] })
afterAll(() => server.close())

let count = 0
/** Sends a request with a trace of its own, and returns the spans of the trace. */
async function traced(path: string, body: object, read: (sent: Promise<Response>) => Promise<unknown>) {
  const traceId = (++count).toString(16).padStart(32, 'd')
  await read(server.post(path, body, { traceparent: `00-${traceId}-b7ad6b7169203331-01` }))
  return spansOf(server, traceId)
}
const options = { userId: 'ann', conversationId: 'c-1' }

describe('the spans of a run', () => {
  it.each([
    ['/agents/helper/text', { input: 'Hi', options }, 6],
    ['/agents/asking/text', { input: 'Hi', options }, 10],
    ['/workflows/consult/execute', { input: {}, options }, 10],
    ['/tools/look/execute', { input: {}, userId: 'ann', conversationId: 'c-1' }, 3],
  ])('all have the user, the session and the conversation: %s', async (path, body, least) => {
    const [request, ...spans] = await traced(path, body, (sent) => dataOf(sent))
    expect(request?.attributes).toMatchObject({ 'url.scheme': 'http', 'url.path': path })
    expect(spans.length).toBeGreaterThanOrEqual(least)
    for (const { name, attributes } of spans)
      expect([name, attributes]).toEqual([
        name,
        expect.objectContaining({
          'user.id': 'ann',
          'session.id': 'c-1',
          'gen_ai.conversation.id': 'c-1',
        }),
      ])
  })

  it('have none of them when they are unknown', async () => {
    const spans = await traced('/agents/helper/text', { input: 'Hi' }, (sent) => dataOf(sent))
    for (const { attributes } of spans)
      expect(Object.keys(attributes)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(?:user\.id|session\.id|gen_ai\.conversation)/)]),
      )
  })
})

describe('the spans of a request with a token', () => {
  it('all have its user', async () => {
    const verifyToken = (token: string) => ({ id: token })
    const authNext = { provider: { type: 'test', verifyToken } }
    const guarded = new TestServer({ workflows: [], agents: [helper], authNext })
    const traceId = (++count).toString(16).padStart(32, 'd')
    const headers = { authorization: 'Bearer ada', traceparent: `00-${traceId}-b7ad6b7169203331-01` }
    await dataOf(guarded.post('/agents/helper/text', { input: 'Hi', options: { userId: 'eve' } }, headers))
    const spans = await spansOf(guarded, traceId)
    expect(spans.length).toBeGreaterThanOrEqual(3)
    expect(new Set(spans.map(({ attributes }) => attributes['user.id']))).toEqual(new Set(['ada']))
    await guarded.close()
  })
})

describe('the span of an answer', () => {
  it('has the finish reason of the conventions', async () => {
    const [, answer] = await traced('/agents/filtered/text', { input: 'Hi' }, (sent) => dataOf(sent))
    expect(answer).toMatchObject({
      name: 'invoke_agent filtered',
      attributes: { 'gen_ai.response.finish_reasons': ['content_filter'] },
    })
    expect(answer?.attributes['gen_ai.output.messages']).toContain('"finish_reason":"content_filter"')
  })
})

describe('the span of a model call', () => {
  const chats = async (path: string, read: (sent: Promise<Response>) => Promise<unknown>) =>
    (await traced(path, { input: 'Hi', options }, read)).filter(({ name }) => name.startsWith('chat '))

  it('has the finish reason of the conventions', async () => {
    const [first] = await chats('/agents/asking/text', (sent) => dataOf(sent))
    const [blocked] = await chats('/agents/filtered/text', (sent) => dataOf(sent))
    expect(blocked?.attributes['gen_ai.response.finish_reasons']).toEqual(['content_filter'])
    expect(['tool_call', 'stop']).toContain(
      (first?.attributes['gen_ai.response.finish_reasons'] as string[] | undefined)?.[0],
    )
    expect(blocked?.attributes['gen_ai.output.messages']).toContain('"finish_reason":"content_filter"')
  })

  it('says whether it was streamed, with the time to the first chunk', async () => {
    const [streamed] = await chats('/agents/streaming/stream', (sent) => messagesOf(sent))
    expect(streamed?.attributes).toMatchObject({ 'gen_ai.request.stream': true })
    const seconds = streamed?.attributes['gen_ai.response.time_to_first_chunk']
    expect(seconds).toBeGreaterThan(0.02)
    expect(seconds).toBeLessThan(60)
    const [whole] = await chats('/agents/streaming/text', (sent) => dataOf(sent))
    expect(whole?.attributes).toMatchObject({ 'gen_ai.request.stream': false })
    expect(whole?.attributes).not.toHaveProperty(['gen_ai.response.time_to_first_chunk'])
  })
})
