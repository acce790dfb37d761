import type { AgentServerConfig } from 'agentserver'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMcpServer } from 'agentserver'
import { ENDPOINT_LIST } from '../../src/contract/index.ts'
import { GuardedServer, bearer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'

const WAITING = { executionId: 'waiting' }
const STREAM = '/workflows/wait/executions/waiting/stream'
const OBSERVED = '/observability/executions/waiting/stream'

/** What a browser sends for a request of a page of another origin: an image, an EventSource, a form, a fetch. */
const FOREIGN = [
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'https://localhost.evil.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'same-site' },
]

async function serve(config: AgentServerConfig, production = false) {
  const server = new GuardedServer(
    { mcpServers: [createMcpServer({ id: 'shop', name: 'Shop', version: '1.0.0' })], ...config },
    { production },
  )
  onTestFinished(() => server.close())
  const headers = { ...bearer(await tokenOf()), host: 'localhost:3141' }
  const json = { input: {}, options: WAITING }
  const started = await server.request('/workflows/wait/execute', { method: 'POST', headers, json })
  expect(started.status).toBe(200)
  return server
}

/** The streams of endpoints that respond with JSON, unless the client accepts events. */
const STREAMS_ON_REQUEST = ENDPOINT_LIST.flatMap(([, { method, path, reply }]) =>
  reply.kind === 'data' && 'events' in reply ? [[method, path.replaceAll(/:\w+/g, 'some')] as const] : [],
)

describe('in development, a page of another site', () => {
  it.each(STREAMS_ON_REQUEST)(
    'holds no stream of %s %s, which has JSON for other clients',
    async (method, path) => {
      const accept = 'text/event-stream'
      const publicRoutes = [`${method} ${path}`]
      const servers = [await serve({}), await serve({ authNext: { provider: provider(), publicRoutes } })]
      for (const server of servers)
        for (const headers of FOREIGN)
          expect(await server.status(path, { ...headers, accept }, method)).toBe(403)
    },
  )

  it.each(FOREIGN)(
    'without authentication holds no event stream and runs no package manager: %j',
    async (foreign) => {
      const server = await serve({})
      const statuses = [STREAM, OBSERVED, '/mcp/shop', '/updates'].map((path) => server.status(path, foreign))
      expect(await Promise.all(statuses)).toEqual([403, 403, 403, 403])
      expect(await server.status('/workflows', foreign)).toBe(200)
    },
  )

  it.each(FOREIGN)('holds no stream that is public under an auth provider: %j', async (foreign) => {
    const legacy = await serve({ auth: provider() })
    expect(await legacy.status(STREAM, foreign)).toBe(403)
    const publicRoutes = ['GET /workflows/*', 'GET /updates']
    const next = await serve({ authNext: { provider: provider(), publicRoutes } })
    expect(await next.status(STREAM, foreign)).toBe(403)
    expect(await next.status('/updates', foreign)).toBe(403)
  })

  it('gets no event stream of a custom route, and its other responses', async () => {
    let cancelled = 0
    const type = (text: string) => ({ headers: { 'content-type': text } })
    const endless = () => new ReadableStream({ cancel: () => void cancelled++ })
    const server = await serve({
      configureApp: (app) => {
        app.get('/ticks', () => new Response(endless(), type('text/event-stream; charset=utf-8')))
        app.get('/page', () => new Response('hello', type('text/plain')))
      },
    })
    expect(await server.status('/ticks', FOREIGN[0])).toBe(403)
    expect(cancelled).toBe(1)
    expect(await server.status('/page', FOREIGN[0])).toBe(200)
    expect(await server.status('/ticks', { origin: 'http://localhost:3141', host: 'localhost:3141' })).toBe(
      200,
    )
  })

  it('gets the stream with credentials, or when its origin is trusted', async () => {
    const foreign = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }
    const guarded = await serve({ authNext: { provider: provider() } })
    expect(await guarded.status(STREAM, { ...foreign, ...bearer(await tokenOf()) })).toBe(200)
    expect(await guarded.status(OBSERVED, { ...foreign, ...keyHeader() })).toBe(200)
    const trusting = await serve({ cors: { origins: ['https://app.example'] } })
    expect(await trusting.status(STREAM, foreign)).toBe(200)
  })
})

it("the server's own pages, and clients that are no browsers, hold event streams in development", async () => {
  const server = await serve({})
  const own = { origin: 'http://localhost:3141', host: 'localhost:3141', 'sec-fetch-site': 'same-origin' }
  for (const headers of [{}, own]) expect(await server.status(STREAM, headers)).toBe(200)
})

it('in production a public stream is open to all pages', async () => {
  const server = await serve({}, true)
  expect(await server.status(STREAM, FOREIGN[3])).toBe(200)
})
