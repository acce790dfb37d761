import { createAgent, createTool, demoModel } from 'agentserver'
import { once } from 'node:events'
import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import type { ToolResult, ToolSummary } from '../../src/contract/endpoints/tool.ts'
import { add, broken, liar, patientTool, refund, whoami } from '../support/server/sample-tools.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const calls = new EventTarget()
const patient = patientTool(calls)

const writer = createAgent({
  id: 'writer',
  name: 'Writer',
  instructions: 'Write',
  model: demoModel(),
  tools: [add],
})
const editor = createAgent({
  id: 'editor',
  name: 'Editor',
  instructions: 'Edit',
  model: demoModel(),
  tools: [refund, add],
  subAgents: [writer],
})

const logs: Record<string, unknown>[] = []
const write = (line: string) => void logs.push(JSON.parse(line) as Record<string, unknown>)
const server = new TestServer(
  { tools: [add, whoami, broken, liar, patient], agents: [editor] },
  { logger: pino({ level: 'info' }, { write }) },
)
afterAll(() => server.close())

const execute = (name: string, body: object) => server.post(`/tools/${name}/execute`, body)

describe('GET /tools', () => {
  it('lists the tools of the configuration, then those of agents and sub-agents, without duplicates', async () => {
    const tools = await dataOf<ToolSummary[]>(server.request('/tools'))
    expect(tools.map(({ name, source, agents }) => [name, source, agents])).toEqual([
      ['add', 'config', ['editor', 'writer']],
      ['whoami', 'config', []],
      ['broken', 'config', []],
      ['liar', 'config', []],
      ['patient', 'config', []],
      ['refund', 'agent', ['editor']],
    ])
    expect(tools[0]).toMatchObject({
      description: 'Adds two numbers',
      inputSchema: { type: 'object', required: ['a'] },
      outputSchema: { type: 'object', required: ['sum'] },
    })
    expect(tools[1]).not.toHaveProperty('outputSchema')
  })
})

describe('POST /tools/:name/execute', () => {
  it('returns the result, with the defaults of the input schema', async () => {
    const { toolName, result, durationMs, traceId } = await dataOf<ToolResult>(
      execute('add', { input: { a: 2 } }),
    )
    expect({ toolName, result }).toEqual({ toolName: 'add', result: { sum: 3 } })
    expect(durationMs).toBeGreaterThanOrEqual(0)
    expect(traceId).toMatch(/^[\da-f]{32}$/)
    expect(logs.find((line) => line['traceId'] === traceId)).toMatchObject({ toolName: 'add' })
  })

  it('refuses invalid input, and names the field', async () => {
    expect(await refusalOf(execute('add', { input: { a: 'two' } }), 400)).toContain('input.a')
    expect(await refusalOf(execute('add', { input: { b: 2 } }), 400)).toContain('input.a: Required')
    expect(await refusalOf(execute('add', {}), 400)).toContain('input: Required')
  })

  it.each(['broken', 'liar'])('returns no internal details of a failure of %s, and logs it', async (name) => {
    const sent = await execute(name, { input: {} })
    const traceId = sent.headers.get('x-trace-id')
    expect(traceId).toMatch(/^[\da-f]{32}$/)
    expect(await refusalOf(sent, 500)).toBe(`Tool "${name}" failed`)
    const line = logs.find((entry) => entry['traceId'] === traceId)
    expect(JSON.stringify(line)).toContain(name === 'broken' ? 'hunter2' : 'result.small')
  })

  it('passes the context, user and conversation of the body', async () => {
    const body = { input: {}, context: { tenant: 'acme' }, userId: 'ada', conversationId: 'c1' }
    const { result } = await dataOf<ToolResult>(execute('whoami', body))
    expect(result).toEqual({ user: null, userId: 'ada', conversationId: 'c1', context: { tenant: 'acme' } })
  })

  it('is a 404 for an unknown tool', async () => {
    expect(await refusalOf(execute('subtract', { input: {} }), 404)).toBe('Tool not found: subtract')
  })

  it('requires the approval of tools that need it', async () => {
    expect(await refusalOf(execute('refund', { input: { amount: 11 } }), 409)).toContain(
      'approval: send "approve": true',
    )
    expect(await refusalOf(execute('refund', { input: { amount: 11 }, approve: false }), 409)).toContain(
      'approval',
    )
    const { result } = await dataOf<ToolResult>(execute('refund', { input: { amount: 11 }, approve: true }))
    expect(result).toEqual({ paid: 11 })
    expect(await dataOf(execute('refund', { input: { amount: 10 } }))).toMatchObject({ result: { paid: 10 } })
  })

  it('aborts the signal when the client disconnects', async () => {
    const listening = await server.listen()
    const controller = new AbortController()
    const called = once(calls, 'called')
    const aborted = once(calls, 'aborted')
    const sent = fetch(`${listening.url}/tools/patient/execute`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"input":{}}',
      signal: controller.signal,
    })
    await called
    controller.abort()
    await expect(sent).rejects.toThrow('aborted')
    await aborted
    await listening.close(0)
  })

  it('aborts the signal when the server stops', async () => {
    const other = new TestServer({ tools: [patient] })
    const called = once(calls, 'called')
    const aborted = once(calls, 'aborted')
    const sent = other.post('/tools/patient/execute', { input: {} })
    await called
    await other.close()
    await aborted
    expect((await sent).status).toBe(200)
  })

  it('is a 503 when the stop of the server aborts it', async () => {
    const other = new TestServer({ tools: [patient] })
    const called = once(calls, 'called')
    const sent = other.post('/tools/patient/execute', { input: { returns: false } })
    await called
    await other.close()
    expect(await refusalOf(sent, 503)).toBe('The server is shutting down')
  })
})

describe('the user of a token', () => {
  const user = { id: 'grace', role: 'admin' }
  const verifyToken = (token: string) => (token === 'nameless' ? { role: 'guest' } : user)
  const guarded = new TestServer({ tools: [whoami], authNext: { provider: { type: 'test', verifyToken } } })
  afterAll(() => guarded.close())
  const ask = (token: string) =>
    guarded.post(
      '/tools/whoami/execute',
      { input: {}, userId: 'mallory' },
      { authorization: `Bearer ${token}` },
    )

  it('is passed to the tool, and replaces the userId in the body', async () => {
    expect(await dataOf(ask('any'))).toMatchObject({ result: { user, userId: 'grace' } })
  })

  it('replaces the userId in the body even when it has no id', async () => {
    expect(await dataOf(ask('nameless'))).toMatchObject({
      result: { user: { id: null, role: 'guest' }, userId: null },
    })
  })

  it('is required', async () => {
    const refusal = await refusalOf(guarded.post('/tools/whoami/execute', { input: {} }), 401)
    expect(refusal).toBe('A valid user token is required')
  })
})

it('a tool with an invalid schema is reported when the configuration is loaded', () => {
  const inputSchema = { type: 'object', properties: { a: { $ref: '#/$defs/none' } } }
  const wrong = createTool({ name: 'wrong', description: 'x', inputSchema, execute: () => 1 })
  expect(() => new TestServer({ tools: [wrong] })).toThrow('tool "wrong": ')
})
