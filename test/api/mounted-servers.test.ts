import http from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { andThen, createWorkflow } from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { createServer } from 'agentserver/server'
import type { AgentServer } from 'agentserver/server'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpServer } from '../../src/server/http-server.ts'
import { rawRequest } from '../support/clients/raw-request.ts'
import { SocketReader } from '../support/clients/socket-reader.ts'
import { collectLogs } from '../support/telemetry/collect-logs.ts'

const double = createWorkflow({ id: 'double' }).andThen({
  id: 'double',
  execute: ({ data }) => ({ of: data, pid: process.pid }),
})
const hold = createWorkflow(
  { id: 'hold' },
  andThen({
    id: 'hold',
    execute: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
  }),
)

type Middleware = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void

/** A Node HTTP server of another framework, in which a server is mounted. */
async function mount(
  use: (server: AgentServer) => Middleware,
  { prefix = '', ...config }: AgentServerConfig & { prefix?: string } = {},
) {
  const logs: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void logs.push(line) })
  const server = createServer({ database: ':memory:', workflows: [double, hold], ...config }, { logger })
  const handle = use(server)
  const outer = http.createServer((request, response) => void handle(request, response))
  outer.on('upgrade', (request, socket, head) => {
    request.url = request.url?.slice(prefix.length) ?? '/'
    server.upgrade(request, socket, head)
  })
  await new Promise<void>((resolve) => void outer.listen(0, '127.0.0.1', resolve))
  const { port } = outer.address() as AddressInfo
  onTestFinished(async () => {
    await server.close()
    outer.closeAllConnections()
    outer.close()
  })
  return { url: `http://127.0.0.1:${port}`, port, server, logs }
}

const execute = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}/workflows/double/execute`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  })

/** As `express.json()`: reads the whole body, and leaves the value in `request.body`. */
async function parseBody(request: IncomingMessage & { body?: unknown }): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  request.body = JSON.parse(Buffer.concat(chunks).toString())
}

test('a server handles the requests of a Node HTTP server, from the first on', async () => {
  const { url } = await mount((server) => server.node)
  const response = await execute(url, { input: { n: 'ä' } })
  expect([response.status, response.headers.get('x-request-id')]).toEqual([200, expect.any(String)])
  expect(await response.json()).toMatchObject({ data: { result: { of: { n: 'ä' } } } })
})

test('it works below a prefix that the framework strips, with its console and WebSockets', async () => {
  const strip =
    (server: AgentServer): Middleware =>
    async (request, response) => {
      request.url = request.url?.replace('/agents', '') ?? '/'
      await server.node(request, response)
    }
  const { url } = await mount(strip, { prefix: '/agents' })
  expect((await execute(`${url}/agents`, { input: {} })).status).toBe(200)
  expect((await fetch(`${url}/agents/console/`)).status).toBe(200)
  const socket = await SocketReader.open(`${url}/agents`)
  socket.subscribe('executions')
  expect((await execute(`${url}/agents`, { input: {} })).status).toBe(200)
  expect((await socket.received(1))[0]).toMatchObject({ topic: 'executions' })
  socket.socket.close()
})

test('a body that a parser has read before is the same one', async () => {
  const { url } = await mount((server) => async (request, response) => {
    await parseBody(request)
    await server.node(request, response)
  })
  const response = await execute(url, { input: { n: 'ä€' } })
  expect(await response.json()).toMatchObject({ data: { result: { of: { n: 'ä€' } } } })
  expect((await execute(url, 'no object')).status).toBe(400)
})

test('the limit of bodies holds for one that a parser has read before', async () => {
  const parsed =
    (server: AgentServer): Middleware =>
    async (request, response) => {
      await parseBody(request)
      await server.node(request, response)
    }
  const { url } = await mount(parsed, { limits: { bodyBytes: 100 } })
  expect((await execute(url, { input: { text: 'x'.repeat(100) } })).status).toBe(413)
})

test('invalid requests and handshakes are refused as on its own port', async () => {
  const { port } = await mount((server) => server.node)
  const refused = await rawRequest(port, 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n')
  expect(refused).toContain('400 Bad Request')
  expect(refused).toContain('"success":false')
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n'
  expect(await rawRequest(port, `GET /ws HTTP/1.1\r\nHost: a b\r\n${upgrade}\r\n`)).toContain(' 400 ')
  expect(await rawRequest(port, `GET /nope HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n`)).toContain(' 404 ')
})

test('a server that can not start answers requests and handshakes with 503', async () => {
  const configureApp = () => {
    throw new Error('no routes today')
  }
  const { url, port, logs } = await mount((server) => server.node, { configureApp })
  expect((await fetch(`${url}/workflows`)).status).toBe(503)
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n'
  expect(await rawRequest(port, `GET /ws HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n`)).toContain(' 503 ')
  expect(logs[0]).toContain('no routes today')
})

test('a client that disconnects ends its stream, and close() ends those that are open', async () => {
  const { url, server } = await mount((one) => one.node)
  const abort = new AbortController()
  const stream = () =>
    fetch(`${url}/workflows/hold/stream`, {
      method: 'POST',
      body: '{"input":{}}',
      headers: { 'Content-Type': 'application/json' },
      signal: abort.signal,
    })
  const [first, second] = [await stream(), await stream()]
  await first.body?.cancel()
  const reading = second.text()
  await server.close()
  expect(await reading).toContain('data:')
})

test('mounting leaves the global Request and Response alone', async () => {
  const before = [globalThis.Request, globalThis.Response]
  await mount((server) => server.node)
  expect([globalThis.Request, globalThis.Response]).toEqual(before)
})

test('a 500 without a body has a log record', async () => {
  const configureApp: AgentServerConfig['configureApp'] = (app) => {
    app.get('/silent', () => new Response(null, { status: 500 }))
  }
  const { url, logs } = await mount((server) => server.node, { configureApp })
  expect((await fetch(`${url}/silent`)).status).toBe(500)
  expect(logs).toEqual([expect.stringContaining('GET /silent: 500 with an empty body')])
})

test('an error outside of the app is a 500 with the envelope and a log record', async () => {
  const { logs, printed } = collectLogs()
  const fail = () => {
    throw new Error('outside')
  }
  const handlers = { fetch: fail, upgrade: () => undefined, logger: logs.logger }
  const failing = createHttpServer(handlers, { requestTimeoutMs: 1000, maxConnections: 10 })
  await new Promise<void>((resolve) => void failing.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void failing.close())
  const response = await fetch(`http://127.0.0.1:${(failing.address() as AddressInfo).port}/`)
  expect([response.status, await response.json()]).toEqual([
    500,
    { success: false, error: 'Internal server error' },
  ])
  expect(printed).toMatchObject([{ level: 50, message: 'Internal server error' }])
})
