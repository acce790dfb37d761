import { afterAll, describe, expect, it } from 'vitest'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const server = new TestServer({ allowedHosts: ['app.example', 'Mixed.Example'] })
const production = new TestServer({}, { production: true })
afterAll(() => Promise.all([server.close(), production.close()]))

const get = (host: string, headers = {}) => server.request('/workflows', { headers: { host, ...headers } })
const execute = (headers: Readonly<Record<string, string>>, to = server) =>
  to.post('/workflows/echo/execute', { input: {} }, { host: 'localhost:3141', ...headers })

describe('without authentication', () => {
  it.each([
    'localhost',
    'localhost:3141',
    'LOCALHOST:3141',
    'my.localhost:3141',
    '127.0.0.1:3141',
    '127.8.0.1',
    '[::1]:3141',
    '[::1]',
    '192.168.1.20:3141',
    '[fe80::1]:3141',
    '10.0.0.1',
    'app.example',
    'app.example:8443',
    'APP.example',
    'mixed.example',
  ])('the host %s is allowed', async (host) => {
    await expect(dataOf(get(host))).resolves.toBeDefined()
  })

  it.each([
    'evil.com',
    'localhost.evil.com',
    '127.0.0.1.evil.com',
    'evil-localhost',
    'notlocalhost',
    'localhost.',
    'localhost@evil.com',
    'evil.com:localhost',
    'app.example.evil.com',
    'sub.app.example',
    'xapp.example',
    '127.0.0.1.nip.io:3141',
    '0x7f.1',
    '[::1].evil.com',
    'localhost, evil.com',
    '',
  ])('the host "%s" is refused for every request', async (host) => {
    expect(await refusalOf(get(host), 403)).toContain('host')
    await refusalOf(execute({ host }), 403)
    await refusalOf(server.request('/healthz', { headers: { host } }), 403)
    await refusalOf(server.request('/nothing', { headers: { host } }), 403)
  })

  it('the headers of proxies are ignored', async () => {
    await refusalOf(get('evil.com', { 'x-forwarded-host': 'localhost', forwarded: 'host=localhost' }), 403)
    await expect(dataOf(get('localhost', { 'x-forwarded-host': 'evil.com' }))).resolves.toBeDefined()
  })

  it.each([
    [{}],
    [{ origin: 'http://localhost:3141' }],
    [{ origin: 'http://127.0.0.1:3141', host: '127.0.0.1:3141' }],
    [{ origin: 'http://[::1]:3141', host: '[::1]:3141' }],
    [{ origin: 'https://ui.localhost', host: 'UI.localhost' }],
    [{ origin: 'https://app.example' }],
    [{ origin: 'http://192.168.1.20:3141', host: '192.168.1.20:3141' }],
    [{ 'sec-fetch-site': 'same-origin', origin: 'http://localhost:3141' }],
    [{ 'sec-fetch-site': 'none' }],
  ])('unsafe methods are allowed with %j', async (headers) => {
    await expect(dataOf(execute(headers))).resolves.toMatchObject({ status: 'completed' })
  })

  it.each([
    [{ origin: 'https://evil.com' }],
    [{ origin: 'http://localhost:5173' }],
    [{ origin: 'http://127.0.0.1:3141' }],
    [{ origin: 'http://localhost' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ origin: 'null' }],
    [{ origin: '' }],
    [{ origin: 'http://localhost.evil.com' }],
    [{ origin: 'http://127.0.0.1.evil.com:3141' }],
    [{ origin: 'http://evil.com#localhost' }],
    [{ origin: 'http://localhost@evil.com' }],
    [{ origin: 'http://sub.app.example' }],
    [{ origin: 'http://192.168.1.21:3141', host: '192.168.1.20:3141' }],
    [{ origin: 'http://192.168.1.20:8080', host: '192.168.1.20:3141' }],
    [{ origin: 'localhost' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3141' }],
  ])('unsafe methods are refused with %j, and reads get no CORS headers', async (headers) => {
    const count = async () =>
      (await server.request('/workflows/executions?limit=1')).headers.get('x-total-count')
    const before = await count()
    expect(await refusalOf(execute(headers), 403)).toContain('origin')
    expect(await count()).toBe(before)
    const read = await server.request('/workflows', { headers: { host: 'localhost', ...headers } })
    expect(read.status).toBe(200)
    expect([...read.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  })

  it('the refusal names the option that trusts the origin', async () => {
    const message = await refusalOf(execute({ origin: 'http://localhost:5173' }), 403)
    expect(message).toContain('add "http://localhost:5173" to cors.origins')
  })

  it('a form of another site is refused', async () => {
    const headers = { origin: 'https://evil.com', 'content-type': 'text/plain' }
    await refusalOf(
      server.request('/workflows/echo/execute', { method: 'POST', body: '{"input":{}}', headers }),
      403,
    )
    const id = await server.startHeldExecution()
    await refusalOf(
      server.request(`/workflows/hold/executions/${id}/cancel`, { method: 'POST', headers }),
      403,
    )
    expect((await server.record('hold', id)).status).toBe('running')
  })

  it('every host and origin is allowed in production', async () => {
    const headers = { host: 'api.example', origin: 'https://evil.com', 'sec-fetch-site': 'cross-site' }
    await expect(dataOf(execute(headers, production))).resolves.toMatchObject({ status: 'completed' })
    await dataOf(production.request('/workflows', { headers }))
  })
})
