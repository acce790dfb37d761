import { connectMcpServer } from 'agentserver'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import type { McpServerDetail } from '../../../src/contract/endpoints/mcp.ts'
import { dataOf, refusalOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'

let remote: Server
let server: TestServer
afterEach(async () => {
  await server.close()
  remote.closeAllConnections()
  remote.close()
})

interface Message {
  readonly id?: number
  readonly method: string
  readonly params: { readonly protocolVersion?: string; readonly name?: string }
}
type Answer = (response: ServerResponse, message: Message) => void

async function messageIn(request: IncomingMessage): Promise<Message> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return JSON.parse(text === '' ? '{"method":"","params":{}}' : text) as Message
}

const json = (response: ServerResponse, body: unknown) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Serves an MCP server on revision 2025-xx with one tool; the test provides the response to its calls. */
async function serve(call: Answer, always?: Answer): Promise<void> {
  remote = createServer((request, response) => {
    void messageIn(request).then((message) => {
      const { id, method, params } = message
      const reply = (result: unknown) => json(response, { jsonrpc: '2.0', id, result })
      if (always) return always(response, message)
      if (request.method !== 'POST') return void response.writeHead(405).end()
      if (id === undefined) return void response.writeHead(202).end()
      if (method === 'tools/call') return call(response, message)
      if (method === 'tools/list') return reply({ tools: [{ name: 'act', inputSchema: { type: 'object' } }] })
      if (method !== 'initialize') return void response.writeHead(400).end()
      const serverInfo = { name: 'Unruly', version: '1' }
      return reply({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo })
    })
  })
  await new Promise<void>((resolve) => void remote.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(remote.address() as AddressInfo).port}/mcp`
  const mcpServers = [
    connectMcpServer({ id: 'un', url: 'http://127.0.0.1:1/mcp' }),
    connectMcpServer({ id: 'un_ruly', url }),
  ]
  server = new TestServer({ workflows: [], mcpServers }, { logger: pino({ enabled: false }) })
}

const execute = () => server.post('/tools/un_ruly_act/execute', { input: {} })
const detail = () => dataOf<McpServerDetail>(server.request('/mcp/servers/un_ruly'))

/** Sends megabytes until the connection closes. */
function pour(response: ServerResponse): void {
  const chunk = 'x'.repeat(1 << 20)
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    response.once('drain', more)
  }
  more()
}

describe('a server over HTTP', () => {
  it.each<[string, Answer]>([
    ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['no JSON', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('}{')],
    ['an error', (response) => response.writeHead(500).end('hunter2')],
    ['no answer', (response) => response.destroy()],
    ['an empty stream', (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end()],
    [
      'a stream that breaks off',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': wait\n\n')
        setTimeout(() => response.destroy(), 20)
      },
    ],
  ])('that responds to a call with %s makes the call fail', async (_, call) => {
    await serve(call)
    const sent = await execute()
    expect(sent.status).toBeGreaterThanOrEqual(500)
    await refusalOf(sent, sent.status)
  })

  it.each(['application/json', 'text/event-stream'])(
    'that sends an endless response as %s is disconnected, and others are served',
    async (type) => {
      await serve((response) => pour(response.writeHead(200, { 'content-type': type })))
      expect(await refusalOf(execute(), 503)).toContain('MCP server "un_ruly" did not respond')
      await expect.poll(async () => (await detail()).status).toBe('ready')
    },
  )

  it('that does not speak MCP is reported as an error', async () => {
    await serve(
      () => undefined,
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hunter2</html>'),
    )
    await server.request('/tools')
    const { status, error } = await detail()
    expect(status).toBe('error')
    expect(error).toMatch(/\w/)
    expect(error).not.toContain('hunter2')
    expect(await refusalOf(execute(), 503)).toContain('MCP server "un_ruly" is not connected')
  })
})
