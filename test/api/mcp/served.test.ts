import type { Client } from '@modelcontextprotocol/client'
import { createAgent, createMcpServer, createTool, createWorkflow, demoModel } from 'agentserver'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { McpServerDetail, McpServerSummary, McpTool } from '../../../src/contract/endpoints/mcp.ts'
import { add, broken, patientTool, refund, whoami } from '../../support/server/sample-tools.ts'
import { dataOf, refusalOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { listening } from '../../support/server/listening.ts'

const calls = new EventTarget()
const patient = patientTool(calls)
/** A tool whose input and output are not objects. */
const double = createTool({
  name: 'double',
  description: 'Doubles a number',
  inputSchema: z.number(),
  outputSchema: z.number(),
  execute: (number) => number * 2,
})
const helper = createAgent({ id: 'help.desk', name: 'Helper', instructions: 'Help', model: demoModel() })
const ship = createWorkflow({
  id: 'ship',
  name: 'Ship',
  purpose: 'Ship an order',
  inputSchema: z.object({ to: z.string() }),
}).andThen({ id: 'send', execute: ({ data }) => ({ sentTo: data.to }) })
const fail = createWorkflow({ id: 'fail', name: 'Fail' }).andThen({
  id: 'throw',
  execute: (): null => {
    throw new Error('the password is hunter2')
  },
})
const ask = createWorkflow({ id: 'ask', name: 'Ask' }).andThen({
  id: 'question',
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('which colour?'),
})

const shop = createMcpServer({
  id: 'shop',
  name: 'Shop',
  version: '2.0.0',
  description: 'Everything about orders',
  tools: [add, broken, refund, whoami, patient, double],
  agents: [helper],
  workflows: [ship, fail, ask],
})

const token = 'a-token'
const verifyToken = (given: string) => (given === token ? { id: 'grace', role: 'admin' } : null)
const server = new TestServer({
  workflows: [],
  mcpServers: [shop],
  authNext: { provider: { type: 'test', verifyToken } },
  limits: { bodyBytes: 10_000 },
})
const headers = { authorization: `Bearer ${token}` }
const at = listening(server)

const connect = (mode: 'legacy' | 'auto') => connectClient(at('/mcp/shop'), { mode, user: token })

describe.each(['legacy', 'auto'] as const)('a client of the served endpoint (%s)', (mode) => {
  let client: Client
  beforeAll(async () => {
    client = await connect(mode)
  })
  afterAll(() => client.close())
  const call = (name: string, input: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: input })

  it('receives the name, version and instructions of the server', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'Shop', version: '2.0.0' })
    expect(client.getInstructions()).toBe('Everything about orders')
  })

  it('lists tools, agents and workflows as tools', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'add',
      'broken',
      'refund',
      'whoami',
      'patient',
      'double',
      'ask_help_desk',
      'run_ship',
      'run_fail',
      'run_ask',
      'resume_ask',
    ])
    expect(tools.find(({ name }) => name === 'add')).toMatchObject({
      description: 'Adds two numbers',
      inputSchema: { type: 'object', required: ['a'] },
      outputSchema: { type: 'object', required: ['sum'] },
    })
    expect(tools.find(({ name }) => name === 'run_ship')).toMatchObject({
      title: 'Ship',
      description: 'Ship an order',
      inputSchema: { type: 'object', required: ['to'] },
    })
  })

  it('calls a tool', async () => {
    const result = await call('add', { a: 1, b: 2 })
    expect(result.structuredContent).toEqual({ sum: 3 })
    expect(result.content).toEqual([{ type: 'text', text: '{"sum":3}' }])
  })

  it('calls a tool whose input is not an object with the member "value"', async () => {
    expect((await call('double', { value: 21 })).content).toEqual([{ type: 'text', text: '42' }])
  })

  it('calls an agent', async () => {
    const { content, isError } = await call('ask_help_desk', { prompt: 'Where is order A-7?' })
    expect(isError).toBeFalsy()
    expect(JSON.stringify(content)).toContain('A-7')
  })

  it('runs a workflow, and receives an error when it suspends', async () => {
    const run = await call('run_ship', { to: 'Ada' })
    expect(run.structuredContent).toMatchObject({ status: 'completed', result: { sentTo: 'Ada' } })
    const { structuredContent } = await call('run_ask')
    expect(structuredContent).toMatchObject({ status: 'suspended', suspension: { reason: 'which colour?' } })
  })

  it('passes its user to the tool', async () => {
    expect((await call('whoami')).structuredContent).toMatchObject({
      user: { id: 'grace', role: 'admin' },
      userId: 'grace',
    })
  })

  it.each([
    ['add', { a: 'one' }, /input\.a/],
    ['run_ship', {}, /to: Required/],
    ['ask_help_desk', {}, /input\.prompt/],
    ['broken', {}, /^Tool "broken" failed$/],
    ['run_fail', {}, /^Workflow execution failed \(execution [\w-]+\)$/],
    ['refund', { amount: 50 }, /needs approval/],
  ])('receives the reason why %s fails, without internal details', async (name, input, message) => {
    const { isError, content } = await call(name, input)
    expect(isError).toBe(true)
    const [part] = content
    expect(part?.type === 'text' && part.text).toMatch(message)
    expect(JSON.stringify(content)).not.toContain('hunter2')
  })

  it('receives an error for an unknown tool', async () => {
    await expect(call('subtract')).rejects.toThrow('Tool not found: subtract')
  })

  it('aborts the signal of a call by disconnecting', async () => {
    const controller = await connect(mode)
    const [called, aborted] = [once(calls, 'called'), once(calls, 'aborted')]
    const sent = controller.callTool({ name: 'patient', arguments: {} })
    const ended = sent.then(
      () => 'answered',
      () => 'refused',
    )
    await called
    await controller.close()
    expect(await ended).toBe('refused')
    await aborted
  })
})

describe('the served endpoint', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const accept = 'application/json, text/event-stream'
  const post = (body: unknown, more: Record<string, string> = {}) =>
    server.post('/mcp/shop', body, { accept, ...headers, ...more })

  it('requires a user token', async () => {
    expect(await refusalOf(server.post('/mcp/shop', ping, { accept }), 401)).toContain('token')
    expect((await post(ping)).status).toBe(200)
  })

  it('enforces the body limits', async () => {
    expect(await refusalOf(post({ ...ping, params: { text: 'x'.repeat(10_000) } }), 413)).toContain('10000')
    expect(await refusalOf(post([ping]), 400)).toContain('must be a JSON object')
    expect(await refusalOf(post({ id: 1, method: 'ping' }), 400)).toContain('jsonrpc')
    const typed = server.request('/mcp/shop', { method: 'POST', body: '{}', headers: { ...headers, accept } })
    await refusalOf(typed, 415)
  })

  it('rejects cross-site requests without auth', async () => {
    const open = new TestServer({ workflows: [], mcpServers: [shop] })
    const origin = 'https://evil.example'
    expect(await refusalOf(open.post('/mcp/shop', ping, { accept, origin }), 403)).toContain('origins')
    expect(await refusalOf(open.post('/mcp/nothing', ping, { accept }), 404)).toContain('not found: nothing')
    await open.close()
  })

  it('accepts trusted origins, with the headers of the protocol', async () => {
    const origin = 'https://app.example'
    const trusting = new TestServer({ workflows: [], mcpServers: [shop], cors: { origins: [origin] } })
    const preflight = { origin, 'access-control-request-method': 'POST' }
    const response = await trusting.request('/mcp/shop', { method: 'OPTIONS', headers: preflight })
    const allowed = response.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
    expect(allowed).toEqual(expect.arrayContaining(['mcp-protocol-version', 'mcp-method', 'mcp-name']))
    expect((await trusting.post('/mcp/shop', ping, { accept, origin })).status).toBe(200)
    await trusting.close()
  })

  it('aborts a call when its response is no longer read', async () => {
    const [called, aborted] = [once(calls, 'called'), once(calls, 'aborted')]
    const response = await post({ ...ping, method: 'tools/call', params: { name: 'patient', arguments: {} } })
    await called
    await response.body?.cancel()
    await aborted
    expect(response.headers.get('content-type')).toBe('text/event-stream')
  })

  it('aborts a call when the server stops', async () => {
    const stopping = new TestServer({ workflows: [], mcpServers: [shop] })
    const [called, aborted] = [once(calls, 'called'), once(calls, 'aborted')]
    const message = { ...ping, method: 'tools/call', params: { name: 'patient', arguments: {} } }
    const sent = stopping.post('/mcp/shop', message, { accept })
    void sent.then((response) => response.text())
    await called
    await stopping.close()
    await aborted
    expect((await sent).status).toBe(200)
  })
})

describe('the list of MCP servers', () => {
  const open = new TestServer({ workflows: [], mcpServers: [shop] })
  afterAll(() => open.close())

  it('contains the served servers', async () => {
    const summary = {
      id: 'shop',
      name: 'Shop',
      version: '2.0.0',
      description: 'Everything about orders',
      kind: 'served',
      transport: 'http',
      status: 'ready',
      toolCount: 11,
    }
    expect(await dataOf<McpServerSummary[]>(open.request('/mcp/servers'))).toEqual([summary])
    expect(await dataOf<McpServerDetail>(open.request('/mcp/servers/shop'))).toEqual({
      ...summary,
      capabilities: { tools: { listChanged: true } },
      url: '/mcp/shop',
    })
    const tools = await dataOf<McpTool[]>(open.request('/mcp/servers/shop/tools'))
    expect(tools.map(({ name, title }) => [name, title])).toContainEqual(['run_ship', 'Ship'])
    expect(tools).toHaveLength(11)
  })

  it('accepts no messages at its path', async () => {
    const response = await open.post('/mcp/servers', { jsonrpc: '2.0', id: 1, method: 'ping' })
    expect(response.headers.get('allow')).toBe('GET, HEAD')
    await refusalOf(response, 405)
  })

  it('adds the workflows of a server to those of the configuration', async () => {
    const run = dataOf(open.post('/workflows/ship/execute', { input: { to: 'Ada' } }))
    expect(await run).toMatchObject({ status: 'completed' })
  })
})
