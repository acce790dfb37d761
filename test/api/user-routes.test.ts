import { createClient } from 'agentserver/client'
import type { AgentServerConfig, OwnApp } from 'agentserver'
import { HTTPException } from 'hono/http-exception'
import { afterAll, describe, expect, it } from 'vitest'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

type Configure = NonNullable<AgentServerConfig['configureApp']>

const server = new TestServer({
  configureApp: async (app) => {
    await Promise.resolve()
    app.use('/guarded/*', async (c, next) => {
      if (c.req.header('x-pass') === undefined) return c.text('who are you', 401)
      return next()
    })
    app.get('/guarded/page', (c) => c.text('in'))
    app.get('/hello/:name', (c) => c.json({ hi: c.req.param('name') }, 200, { 'X-Mine': '1' }))
    app.post('/echo', async (c) => c.text(await c.req.text(), 201))
    app.get('/none', (c) => c.json({ mine: true }, 404))
    app.get('/throws', () => {
      throw new Error('the password is hunter2')
    })
    app.get('/refuses', () => {
      throw new HTTPException(418, { message: 'short and stout' })
    })
    app.delete('/workflows/:id', (c) => c.text(`deleted ${c.req.param('id')}`))
    app.get('/stream', () => new Response('streamed'))
  },
})
afterAll(() => server.close())

async function refusedConfig(configureApp: Configure): Promise<unknown> {
  const own = new TestServer({ configureApp })
  const error: unknown = await own.ready().catch((thrown: unknown) => thrown)
  await own.close()
  return error
}

describe('custom routes', () => {
  it('are served beside the endpoints, unchanged', async () => {
    const response = await server.request('/hello/Ada?x=1&x=2')
    expect(response.status).toBe(200)
    expect(response.headers.get('x-mine')).toBe('1')
    expect(await response.json()).toEqual({ hi: 'Ada' })
    const posted = await server.request('/echo', { method: 'POST', body: 'not JSON' })
    expect(`${posted.status} ${await posted.text()}`).toBe('201 not JSON')
    expect(await (await server.request('/stream')).text()).toBe('streamed')
    await dataOf(server.request('/workflows'))
  })

  it('have a request id', async () => {
    expect((await server.request('/hello/Ada')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('respond to HEAD', async () => {
    const response = await server.request('/hello/Ada', { method: 'HEAD' })
    expect(`${response.status}${await response.text()}`).toBe('200')
  })

  it('may return 404 themselves', async () => {
    const response = await server.request('/none')
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ mine: true })
  })

  it('leave other paths to the server', async () => {
    expect(await refusalOf(server.request('/nothing'), 404)).toBe('Route not found: GET /nothing')
    expect(await refusalOf(server.post('/hello/Ada'), 404)).toBe('Route not found: POST /hello/Ada')
    expect((await server.request('/nothing')).headers.has('x-agentserver-not-found')).toBe(false)
  })

  it('may have a path of an endpoint with another method', async () => {
    const response = await server.request('/workflows/x', { method: 'DELETE' })
    expect(`${response.status} ${await response.text()}`).toBe('200 deleted x')
    await refusalOf(server.request('/workflows/x', { method: 'PUT' }), 405)
  })

  it('may have middleware', async () => {
    expect((await server.request('/guarded/page')).status).toBe(401)
    expect(await (await server.request('/guarded/page', { headers: { 'x-pass': '1' } })).text()).toBe('in')
  })

  it('return 500 when they throw, with the cause only in the log', async () => {
    const response = await server.request('/throws')
    const requestId = response.headers.get('x-request-id')
    expect(await refusalOf(response, 500)).toBe('Internal server error')
    expect(server.logs).toContainEqual(
      expect.objectContaining({
        level: 50,
        requestId,
        err: expect.objectContaining({ message: 'the password is hunter2' }) as object,
      }),
    )
  })

  it("may throw Hono's HTTPException", async () => {
    const response = await server.request('/refuses')
    expect(`${response.status} ${await response.text()}`).toBe('418 short and stout')
  })

  it('are subject to the host rule', async () => {
    expect(await refusalOf(server.request('/hello/Ada', { headers: { host: 'evil.com' } }), 403)).toContain(
      'evil.com',
    )
  })

  it.each<[string, (app: OwnApp) => unknown]>([
    [
      'GET /workflows is a route of agentserver (listWorkflows)',
      (app) => app.get('/workflows', (c) => c.text('')),
    ],
    [
      'GET /workflows/:slug is a route of agentserver (getWorkflow)',
      (app) => app.get('/workflows/:slug', (c) => c.text('')),
    ],
    ['GET / is a route of agentserver (getLanding)', (app) => app.get('/', (c) => c.text(''))],
    ['GET /doc is', (app) => app.basePath('/').get('/doc', (c) => c.text(''))],
    ['GET /ui/mine.js is', (app) => app.get('/ui/mine.js', (c) => c.text(''))],
    [
      'POST /workflows/:id{[a-z]+}/run is',
      (app) => app.post('/workflows/:id{[a-z]+}/run', (c) => c.text('')),
    ],
    ['ALL /healthz is a route of agentserver (getHealth)', (app) => app.all('/healthz', (c) => c.text(''))],
    ['ALL /workflows is', (app) => app.use('/workflows', (_, next) => next())],
  ])("can't replace an endpoint: %s", async (message, configure) => {
    const error = await refusedConfig((app) => void configure(app))
    expect(error).toMatchObject({ code: 'invalid_config', hint: 'Use another path for the route' })
    expect(String(error)).toContain(`configureApp: ${message}`)
  })

  it('are all named in the error when several replace an endpoint', async () => {
    const error = await refusedConfig((app) => {
      app.get('/doc', (c) => c.text(''))
      app.post('/workflows/:id/execute', (c) => c.text(''))
      app.get('/fine', (c) => c.text(''))
    })
    expect(String(error)).toMatch(/GET \/doc .*; POST \/workflows\/:id\/execute /)
    expect(String(error)).not.toContain('/fine')
  })

  it('prevent the start when configureApp throws', async () => {
    const error = await refusedConfig(() => {
      throw new Error('no routes today')
    })
    expect(error).toMatchObject({ message: 'no routes today' })
  })

  it('do not affect the client', async () => {
    const client = createClient({ baseUrl: 'http://localhost', fetch: server.fetch })
    expect(await client.api.getHealth()).toBe('ok')
  })
})
