import { trace } from '@opentelemetry/api'
import { andThen, createAgent, createMcpServer, createTool, createWorkflow, demoModel } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { Span, TraceDetail, TraceSummary } from '../../src/contract/endpoints/trace.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const SECRET = 'sk-abcdef0123456789abcdef'
let tries = 0

const child = createWorkflow({ id: 'child' }, andThen({ id: 'inner', execute: () => 'done' }))
const calculate = createTool({
  name: 'calculate',
  description: 'calculate a sum',
  inputSchema: { type: 'object', properties: { sum: { type: 'string' } }, required: ['sum'] },
  execute: () => trace.getTracer('mine').startActiveSpan('in the tool', (span) => (span.end(), 4)),
})
const helper = createAgent({
  id: 'helper',
  name: 'Helper',
  instructions: 'Help.',
  model: demoModel(),
  tools: [calculate],
})
const workflow = createWorkflow({ id: 'traced', name: 'Traced' })
  .andThen({
    id: 'own',
    execute: async () => {
      await Promise.resolve()
      return trace.getTracer('mine').startActiveSpan('my own', (span) => {
        span.setAttribute('apiKey', SECRET)
        span.end()
        return { key: SECRET }
      })
    },
  })
  .andThen({
    id: 'flaky',
    retries: 1,
    execute: () => {
      if (++tries % 2 === 1) throw new Error('first try')
      return { ok: true }
    },
  })
  .andWhen({ id: 'never', condition: () => false, step: andThen({ id: 'inside', execute: () => 1 }) })
  .andWorkflow({ id: 'down', workflow: child, input: () => ({}) })
  .andAgent({ id: 'ask', agent: helper, prompt: 'please calculate a sum' })
const asks = createWorkflow(
  { id: 'asks' },
  andThen({ id: 'wait', execute: ({ resumeData, suspend }) => resumeData ?? suspend('why') }),
)
const fails = createWorkflow(
  { id: 'fails' },
  andThen({
    id: 'boom',
    execute: () => {
      throw new TypeError('no good')
    },
  }),
)

describe('traces', () => {
  const servers: TestServer[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close()
  })
  const start = (options: object = {}, production = false) => {
    const server = new TestServer(
      { workflows: [workflow, child, asks, fails], agents: [helper], tools: [calculate], ...options },
      { production },
    )
    servers.push(server)
    return server
  }
  const list = (server: TestServer, query = '') =>
    dataOf<TraceSummary[]>(server.request(`/observability/traces?${query}`))
  const spansOf = async (server: TestServer, traceId: string) =>
    (await dataOf<TraceDetail>(server.request(`/observability/traces/${traceId}`))).spans
  const named = (spans: readonly Span[], name: string) => {
    const found = spans.filter((span) => span.name === name)
    expect(found.length, `${name} of ${spans.map((span) => span.name).join()}`).toBeGreaterThan(0)
    return found as [Span, ...Span[]]
  }

  it.each(['text', 'stream'])('have spans of an agent’s hooks below the agent run: %s', async (way) => {
    const within = (name: string) => trace.getTracer('mine').startActiveSpan(name, (span) => span.end())
    const hooked = createAgent({
      id: 'hooked',
      name: 'Hooked',
      instructions: 'Help.',
      model: demoModel({ delayMs: 0 }),
      hooks: {
        onStart: ({ context }) => {
          context.logger.warn('it starts')
          within('at the start')
        },
        onEnd: () => within('at the end'),
      },
    })
    const server = start({ agents: [hooked] })
    await (await server.post(`/agents/hooked/${way}`, { input: 'Hello' })).text()
    const [summary] = await list(server)
    const spans = await spansOf(server, summary?.traceId ?? '')
    const [{ spanId: answer, attributes }] = named(spans, 'invoke_agent hooked')
    expect(attributes).toMatchObject({ 'gen_ai.provider.name': 'demo', 'gen_ai.request.model': 'demo' })
    for (const name of ['at the start', 'at the end']) expect(named(spans, name)[0].parentSpanId).toBe(answer)
    const logs = await dataOf<{ message: string; spanId: string }[]>(
      server.request(`/observability/traces/${summary?.traceId}/logs`),
    )
    expect(logs).toMatchObject([{ message: 'it starts', spanId: answer }])
  })

  it.each(['text', 'stream'])('have the token usage that models report: %s', async (way) => {
    const usage = { inputTokens: 11, outputTokens: 7, cachedInputTokens: 3, reasoningTokens: 2 }
    const model = scriptedModel([{ text: 'Fine', usage }])
    const server = start({ agents: [createAgent({ id: 'thinker', name: 'T', instructions: 'x', model })] })
    await (await server.post(`/agents/thinker/${way}`, { input: 'Hello' })).text()
    const [summary] = await list(server)
    expect(summary?.usage).toEqual({ inputTokens: 11, outputTokens: 7, totalTokens: 18, costUsd: null })
    const spans = await spansOf(server, summary?.traceId ?? '')
    for (const name of ['invoke_agent thinker', 'chat scripted'])
      expect(named(spans, name)[0].attributes).toMatchObject({
        'gen_ai.usage.input_tokens': 11,
        'gen_ai.usage.output_tokens': 7,
        'gen_ai.usage.cache_read.input_tokens': 3,
        'gen_ai.usage.reasoning.output_tokens': 2,
      })
  })

  it('have all spans of an execution, below their parents', async () => {
    const server = start()
    const { executionId } = await server.execute('traced', {}, { userId: 'ann', conversationId: 'talk' })
    const { metadata } = await server.record('traced', executionId)
    const [summary] = await list(server)
    expect(summary).toMatchObject({
      traceId: metadata.traceId,
      name: 'invoke_workflow traced',
      kind: 'server',
      status: 'ok',
      entity: { type: 'workflow', id: 'traced', name: 'Traced' },
    })
    expect(summary?.usage?.totalTokens).toBeGreaterThan(0)
    const spans = await spansOf(server, metadata.traceId)
    expect(summary?.spanCount).toBe(spans.length)
    const [root] = named(spans, 'POST /workflows/:id/execute')
    const [execution] = named(spans, 'invoke_workflow traced')
    expect(execution).toMatchObject({ spanId: metadata.spanId, parentSpanId: root.spanId })
    for (const { name, startTime, parentSpanId } of spans) {
      const parent = spans.find(({ spanId }) => spanId === parentSpanId)
      expect(`${name} ${startTime}` >= `${name} ${parent?.startTime ?? ''}`).toBe(true)
    }
    const parentOf = (name: string) =>
      spans.find(({ spanId }) => spanId === named(spans, name)[0].parentSpanId)?.name
    expect(parentOf('step own')).toBe('invoke_workflow traced')
    expect(parentOf('my own')).toBe('step own')
    expect(parentOf('invoke_workflow child')).toBe('step down')
    expect(parentOf('step inner')).toBe('invoke_workflow child')
    expect(parentOf('invoke_agent helper')).toBe('step ask')
    expect(parentOf('chat demo')).toBe('invoke_agent helper')
    expect(parentOf('execute_tool calculate')).toBe('invoke_agent helper')
    expect(parentOf('in the tool')).toBe('execute_tool calculate')
    const [first, second] = named(spans, 'step flaky')
    expect(first).toMatchObject({
      status: 'error',
      statusMessage: 'first try',
      attributes: { 'agentserver.step.attempt': 1, 'error.type': 'Error' },
      events: [
        {
          name: 'exception',
          attributes: {
            'exception.type': 'Error',
            'exception.message': 'first try',
            'exception.stacktrace': expect.stringMatching(
              /^Error: first try\n\s+at .*test\/api\/traces\.test\.ts/,
            ),
          },
        },
      ],
    })
    expect(second).toMatchObject({ status: 'ok', attributes: { 'agentserver.step.attempt': 2 } })
    expect(named(spans, 'step never')[0].attributes).toMatchObject({ 'agentserver.step.status': 'skipped' })
    expect(JSON.stringify(spans)).not.toContain(SECRET)
    for (const span of spans) expect(span.durationMs).toBeGreaterThanOrEqual(0)
    expect(await dataOf(server.request(`/observability/spans/${execution.spanId}`))).toEqual(execution)
  })

  it('continue when an execution is resumed, with a link to the request', async () => {
    const server = start()
    const { executionId } = await server.execute('asks')
    const { traceId, spanId } = (await server.record('asks', executionId)).metadata
    await dataOf(server.post(`/workflows/asks/executions/${executionId}/resume`, { resumeData: 'go' }))
    const spans = await spansOf(server, traceId)
    const [before, after] = named(spans, 'invoke_workflow asks')
    expect(before).toMatchObject({ spanId, attributes: { 'agentserver.execution.status': 'suspended' } })
    expect(after).toMatchObject({
      parentSpanId: spanId,
      attributes: { 'agentserver.execution.status': 'completed' },
    })
    expect(after?.links.map(({ attributes }) => attributes['agentserver.link.kind'])).toEqual([
      'continues',
      'resumed_by',
    ])
    const by = after?.links[1]
    const [request] = await spansOf(server, by?.traceId ?? '')
    expect(request).toMatchObject({
      spanId: by?.spanId,
      name: 'POST /workflows/:id/executions/:executionId/resume',
    })
    expect((await list(server, `executionId=${executionId}`)).map((one) => one.traceId)).toEqual([traceId])
  })

  it('can be filtered by each parameter', async () => {
    const server = start()
    const { executionId } = await server.execute('child', {}, { userId: 'bob' })
    await refusalOf(server.post('/workflows/fails/execute', { input: {} }), 500)
    await dataOf(server.post('/agents/helper/text', { input: 'Hi', options: { conversationId: 'talk' } }))
    const names = async (query: string) => (await list(server, query)).map(({ name }) => name)
    expect(await names('')).toEqual(['invoke_agent helper', 'invoke_workflow fails', 'invoke_workflow child'])
    expect(await names('agentId=helper')).toEqual(['invoke_agent helper'])
    expect(await names('conversationId=talk')).toEqual(['invoke_agent helper'])
    expect(await names('workflowId=child')).toEqual(['invoke_workflow child'])
    expect(await names('userId=bob')).toEqual(['invoke_workflow child'])
    expect(await names('status=error')).toEqual(['invoke_workflow fails'])
    expect(await names('q=WORKFLOW+invoke')).toEqual(['invoke_workflow fails', 'invoke_workflow child'])
    expect(await names('minDurationMs=1000000')).toEqual([])
    expect(await names('from=2999-01-01T00:00:00Z')).toEqual([])
    expect(await names('to=2000-01-01T00:00:00Z')).toEqual([])
    const [{ traceId } = { traceId: '' }] = await list(server, `executionId=${executionId}`)
    expect(await names(`traceId=${traceId}`)).toEqual(['invoke_workflow child'])
    expect(await names(`traceId=${'0'.repeat(31)}1`)).toEqual([])
  })

  it('of a tool call by a client have its user', async () => {
    const server = start()
    const body = { input: { sum: '1+1' }, userId: 'bob', conversationId: 'sums' }
    await dataOf(server.post('/tools/calculate/execute', body))
    await dataOf(server.post('/tools/calculate/execute', { input: { sum: '1+2' } }))
    for (const query of ['userId=bob', 'conversationId=sums'])
      expect((await list(server, query)).map(({ name }) => name)).toEqual(['execute_tool calculate'])
  })

  it('are paged by cursor', async () => {
    const server = start()
    for (let count = 0; count < 3; count++) await server.execute('child')
    const first = await server.request('/observability/traces?limit=2')
    const cursor = first.headers.get('x-next-cursor') ?? ''
    const newest = await dataOf<TraceSummary[]>(first)
    await server.execute('child')
    const second = await server.request(`/observability/traces?limit=2&cursor=${cursor}`)
    expect(second.headers.get('x-next-cursor')).toBeNull()
    const rest = await dataOf<TraceSummary[]>(second)
    expect(new Set([...newest, ...rest].map(({ traceId }) => traceId)).size).toBe(3)
  })

  it.each([
    'limit=0',
    'cursor=x',
    'from=yesterday',
    'to=2024-02-30T00:00:00Z',
    'status=fine',
    'traceId=1',
    'minDurationMs=-1',
    'q=+',
    'executionId=__proto__',
  ])('refuse a query that means nothing: %s', async (query) => {
    const error = await refusalOf(start().request(`/observability/traces?${query}`), 400)
    expect(error).toContain(`${query.split('=', 1)[0]}: `)
  })

  it('that do not exist are a 404', async () => {
    const server = start()
    for (const path of [`traces/${'a'.repeat(32)}`, `spans/${'a'.repeat(16)}`])
      expect(await refusalOf(server.request(`/observability/${path}`), 404)).toContain('not found: aaaa')
  })

  it('continue the trace of a caller', async () => {
    const server = start()
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`
    const reply = await dataOf<{ traceId: string }>(
      server.post('/tools/calculate/execute', { input: { sum: '1+1' } }, { traceparent }),
    )
    expect(reply.traceId).toBe(traceId)
    const [root, tool] = await spansOf(server, traceId)
    expect(root).toMatchObject({ parentSpanId: 'b7ad6b7169203331', kind: 'server' })
    expect(tool).toMatchObject({ name: 'execute_tool calculate', parentSpanId: root?.spanId })
  })

  it.each([
    ['/mcp/desk', { method: 'tools/call', params: { name: 'ask_helper', arguments: { prompt: 'hi' } } }],
    [
      '/agents/helper/a2a',
      {
        method: 'SendStreamingMessage',
        params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } },
      },
    ],
  ])('of a request to %s last as long as its answer is streamed', async (path, call) => {
    const desk = createMcpServer({ id: 'desk', name: 'Desk', version: '1.0.0', agents: [helper] })
    const server = start({ mcpServers: [desk] })
    const accept = 'application/json, text/event-stream'
    const sent = server.post(path, { jsonrpc: '2.0', id: 1, ...call }, { accept, 'a2a-version': '1.0' })
    expect(await (await sent).text()).toContain('data: ')
    const [summary] = await list(server)
    const [request, ...below] = await spansOf(server, summary?.traceId ?? '')
    expect(request?.name).toMatch(/^POST /)
    const ends = below.map(({ endTime }) => endTime ?? 'never')
    expect((request?.endTime ?? '') >= (ends.toSorted().at(-1) ?? 'none')).toBe(true)
  })

  it('are not created by reading', async () => {
    const server = start()
    for (const path of ['/workflows', '/observability/status', '/observability/traces', '/healthz', '/doc'])
      await (await server.request(path)).text()
    expect(await list(server)).toEqual([])
  })

  it('have no content in production, or when content capture is off', async () => {
    for (const server of [start({}, true), start({ observability: { captureContent: false } })]) {
      const { executionId } = await server.execute('child', { private: 'words' })
      const spans = await spansOf(server, (await server.record('child', executionId)).metadata.traceId)
      expect(JSON.stringify(spans)).not.toContain('words')
      expect(spans.map(({ name }) => name)).toContain('step inner')
    }
  })

  it('are not recorded when tracing is off', async () => {
    const server = start({ observability: { enabled: false } })
    const { executionId } = await server.execute('child')
    expect(await list(server)).toEqual([])
    expect((await server.record('child', executionId)).metadata.traceId).toMatch(/^[0-9a-f]{32}$/)
  })
})
