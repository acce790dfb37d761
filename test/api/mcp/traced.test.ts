import { trace } from '@opentelemetry/api'
import {
  connectMcpServer,
  createAgent,
  createMcpServer,
  createTool,
  createWorkflow,
  demoModel,
} from 'agentserver'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import type { TraceSummary } from '../../../src/contract/endpoints/trace.ts'
import { dataOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'
import { spansOf, treeOf } from '../../support/telemetry/span-tree.ts'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { listening } from '../../support/server/listening.ts'

const inputSchema = { type: 'object' } as const
const look = createTool({
  name: 'look',
  description: 'Looks',
  inputSchema,
  execute: () => trace.getTracer('mine').startActiveSpan('db.query', (span) => (span.end(), 'seen')),
})
const broken = createTool({
  name: 'broken',
  description: 'Fails',
  inputSchema,
  execute: () => {
    throw new RangeError('out of reach')
  },
})
const helper = createAgent({ id: 'helper', name: 'Helper', instructions: 'Help', model: demoModel() })
const ship = createWorkflow({ id: 'ship' }).andThen({ id: 'send', execute: () => 'sent' })
const shop = createMcpServer({
  id: 'shop',
  name: 'Shop',
  tools: [look, broken],
  agents: [helper],
  workflows: [ship],
  resources: [{ uri: 'shop://rules', name: 'Rules', read: () => 'Be kind.' }],
  prompts: [{ name: 'greet', get: () => 'Say hello' }],
})
const served = new TestServer({ workflows: [], mcpServers: [shop] })
const at = listening(served)

let count = 0
/** The id of the client's own span. */
function caller() {
  const traceId = (++count).toString(16).padStart(32, 'c')
  return { traceId, spanId: 'b7ad6b7169203331', traceparent: `00-${traceId}-b7ad6b7169203331-01` }
}

describe('a call of a client of a served MCP server', () => {
  const call = async (method: string, params: object) => {
    const { traceId, traceparent } = caller()
    const accept = 'application/json, text/event-stream'
    const answer = await served.post(
      '/mcp/shop',
      { jsonrpc: '2.0', id: 1, method, params },
      { traceparent, accept },
    )
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"result"')])
    return spansOf(served, traceId)
  }
  const endpoint = 'POST /mcp/:serverId [server ok]'

  it.each([
    [
      'tools/call',
      { name: 'look', arguments: {} },
      ['tools/call look [server ok]', '  execute_tool look [internal ok]', '    db.query [internal ok]'],
    ],
    [
      'tools/call',
      { name: 'ask_helper', arguments: { prompt: 'Hello' } },
      [
        'tools/call ask_helper [server ok]',
        '  invoke_agent helper [internal ok]',
        '    chat demo [client ok]',
      ],
    ],
    [
      'tools/call',
      { name: 'run_ship', arguments: {} },
      [
        'tools/call run_ship [server ok]',
        '  invoke_workflow ship [internal ok]',
        '    step send [internal ok]',
      ],
    ],
    ['resources/read', { uri: 'shop://rules' }, ['resources/read [server ok]']],
    ['prompts/get', { name: 'greet' }, ['prompts/get greet [server ok]']],
  ])('is a span with its child spans: %s %j', async (method, params, lines) => {
    const spans = await call(method, params)
    expect(treeOf(spans)).toEqual([endpoint, ...lines.map((line) => `  ${line}`)])
    expect(spans.find(({ name }) => name.startsWith(method))?.attributes).toMatchObject({
      'mcp.method.name': method,
      'agentserver.mcp.server.id': 'shop',
    })
  })

  it('that fails has the error status of the conventions, and the reason on the span of the tool', async () => {
    const spans = await call('tools/call', { name: 'broken', arguments: {} })
    expect(treeOf(spans)).toEqual([
      endpoint,
      '  tools/call broken [server error]',
      '    execute_tool broken [internal error]',
    ])
    expect(spans[1]).toMatchObject({
      statusMessage: 'Tool "broken" failed',
      attributes: { 'error.type': 'tool_error', 'gen_ai.tool.name': 'broken' },
    })
    expect(spans[2]).toMatchObject({
      statusMessage: 'out of reach',
      attributes: { 'error.type': 'RangeError' },
      events: [
        {
          name: 'exception',
          attributes: { 'exception.type': 'RangeError', 'exception.message': 'out of reach' },
        },
      ],
    })
  })

  it('is a child of the span in the message', async () => {
    const { traceId, spanId, traceparent } = caller()
    const client = await connectClient(at('/mcp/shop'))
    await client.callTool({ name: 'look', arguments: {}, _meta: { traceparent } })
    await client.close()
    const [first] = await spansOf(served, traceId)
    expect(first).toMatchObject({ name: 'tools/call look', parentSpanId: spanId })
  })
})

describe('a call to a connected MCP server', () => {
  const greeter = connectMcpServer({
    id: 'greeter',
    command: process.execPath,
    args: [fileURLToPath(new URL('stdio-server.mjs', import.meta.url))],
  })
  const servers: TestServer[] = []
  afterAll(async () => {
    for (const server of servers) await server.close()
  })
  const serve = (connected: ReturnType<typeof connectMcpServer>) => {
    const server = new TestServer(
      { workflows: [], mcpServers: [connected] },
      { logger: pino({ enabled: false }) },
    )
    servers.push(server)
    return server
  }
  const ready = async (server: TestServer, id: string) => {
    await expect
      .poll(async () => (await dataOf<{ status: string }>(server.request(`/mcp/servers/${id}`))).status)
      .toBe('ready')
  }
  const newest = async (server: TestServer) => {
    const [summary] = await dataOf<TraceSummary[]>(server.request('/observability/traces?limit=1'))
    return spansOf(server, summary?.traceId ?? '')
  }

  it('is a client span below the tool', async () => {
    const server = serve(greeter)
    await ready(server, 'greeter')
    await server.post('/tools/greeter_greet/execute', { input: { name: 'Ada' } })
    const spans = await newest(server)
    expect(treeOf(spans)).toEqual([
      'POST /tools/:name/execute [server ok]',
      '  execute_tool greeter_greet [internal ok]',
      '    tools/call greet [client ok]',
    ])
    expect(spans[2]?.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'agentserver.mcp.server.id': 'greeter',
      'gen_ai.tool.name': 'greet',
      'gen_ai.operation.name': 'execute_tool',
      'mcp.protocol.version': '2025-11-25',
      'network.transport': 'pipe',
    })
    await server.post('/tools/greeter_fail/execute', { input: {} })
    const [, tool, called] = await newest(server)
    expect(called).toMatchObject({
      status: 'error',
      statusMessage: 'the disk is full of hunter2',
      attributes: { 'error.type': 'tool_error' },
    })
    expect(tool).toMatchObject({ status: 'error', statusMessage: 'the disk is full of hunter2' })
    // the program throws, which its SDK answers with a JSON-RPC error
    await server.post('/tools/greeter_sum_all/execute', { input: {} })
    const [, , refused] = await newest(server)
    expect(refused?.attributes).toMatchObject({
      'error.type': '-32603',
      'rpc.response.status_code': '-32603',
    })
  })

  it('continues the same trace in a server that records traces', async () => {
    const server = serve(connectMcpServer({ id: 'far', url: at('/mcp/shop') }))
    await ready(server, 'far')
    await server.post('/tools/far_look/execute', { input: {} })
    const here = await newest(server)
    const [there] = await spansOf(served, here[0]?.traceId ?? '')
    expect(there).toMatchObject({ name: 'tools/call look', kind: 'server', parentSpanId: here[2]?.spanId })
    const { hostname, port } = new URL(at('/'))
    const http = { 'network.transport': 'tcp', 'network.protocol.name': 'http' }
    const version = here[2]?.attributes['mcp.protocol.version']
    expect(version).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(here[2]?.attributes).toMatchObject({
      ...http,
      'server.address': hostname,
      'server.port': Number(port),
    })
    expect(there?.attributes).toMatchObject({
      ...http,
      'mcp.protocol.version': version,
      'gen_ai.operation.name': 'execute_tool',
      'jsonrpc.request.id': expect.stringMatching(/^\d+$/) as string,
    })
  })
})
