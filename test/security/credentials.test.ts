import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import type { AuthProvider, User } from 'agentserver'
import { isProduction } from '../../src/server/is-production.ts'
import {
  DEV,
  GuardedServer,
  KEY,
  bearer,
  keyHeader,
  provider,
  tokenOf,
} from '../support/server/guarded-server.ts'

const token = await tokenOf()
const next = new GuardedServer({ authNext: { provider: provider() } })
const production = new GuardedServer({ authNext: { provider: provider() } }, { production: true })
afterAll(() => Promise.all([next.close(), production.close()]))

/** Whether a request to a console route is admitted. */
const opensConsole = async (query: string, headers: Record<string, string> = {}) =>
  (await production.status(`/workflows${query}`, headers)) === 200

describe('the console key', () => {
  it.each([
    ['in the header', '', keyHeader(), true],
    ['in the query', `?key=${KEY}`, {}, true],
    ['in both', `?key=${KEY}`, keyHeader(), true],
    ['in the header, with its name in capitals', '', { 'X-CONSOLE-ACCESS-KEY': KEY }, true],
    ['with spaces around it, which are not part of a header value', '', keyHeader(`  ${KEY}  `), true],
    ['in both, with a wrong one in the query', '?key=other', keyHeader(), false],
    ['in both, with a wrong one in the header', `?key=${KEY}`, keyHeader('other'), false],
    ['in the header with a blank one in the query', '?key=', keyHeader(), false],
    ['in the query with a blank one in the header', `?key=${KEY}`, keyHeader(''), false],
    ['twice in the query', `?key=${KEY}&key=${KEY}`, {}, false],
    ['twice in the header', '', keyHeader(`${KEY}, ${KEY}`), false],
    ['blank', '?key=', keyHeader(''), false],
    ['with a prefix', '', keyHeader(`x${KEY}`), false],
    ['with a suffix', '', keyHeader(`${KEY}x`), false],
    ['truncated', '', keyHeader(KEY.slice(0, -1)), false],
    ['in capitals', '', keyHeader(KEY.toUpperCase()), false],
    ['with spaces in the query', `?key=%20${KEY}`, {}, false],
    ['followed by a NUL', `?key=${KEY}%00`, {}, false],
    ['in a query parameter in capitals', `?KEY=${KEY}`, {}, false],
    ['as an array in the query', `?key[]=${KEY}`, {}, false],
    ['after a second question mark', `?x?key=${KEY}`, {}, false],
    ['as a bearer token', '', bearer(KEY), false],
    ['as a cookie', '', { cookie: `x-console-access-key=${KEY}; key=${KEY}` }, false],
    ['as another header', '', { 'x-api-key': KEY, 'console-access-key': KEY, key: KEY }, false],
  ])('%s', async (_, query, headers, opens) => {
    expect(await opensConsole(query, headers as Record<string, string>)).toBe(opens)
  })

  it.each([`  ${KEY}\n`, KEY])('is trimmed when it is configured: %j', async (consoleKey) => {
    const server = new GuardedServer({ authNext: { provider: provider() } }, { production: true, consoleKey })
    expect(await server.status('/workflows', keyHeader())).toBe(200)
    await server.close()
  })

  it('may contain characters that a query has to escape', async () => {
    const consoleKey = 'a+b/c=d&e ü%'
    const server = new GuardedServer({ authNext: { provider: provider() } }, { production: true, consoleKey })
    expect(await server.status(`/workflows?key=${encodeURIComponent(consoleKey)}`)).toBe(200)
    await server.close()
  })
})

describe('a user token', () => {
  it.each([
    ['with the scheme in lower case', { authorization: `bearer ${token}` }, 200],
    ['with the scheme in upper case', { authorization: `BEARER ${token}` }, 200],
    ['with two spaces', { authorization: `Bearer  ${token}` }, 200],
    ['without a scheme', { authorization: token }, 401],
    ['without a space', { authorization: `Bearer${token}` }, 401],
    ['as Basic', { authorization: `Basic ${btoa(`ada:${token}`)}` }, 401],
    ['as Basic, bare', { authorization: `Basic ${token}` }, 401],
    ['as Token', { authorization: `Token ${token}` }, 401],
    ['as JWT', { authorization: `JWT ${token}` }, 401],
    ['as DPoP', { authorization: `DPoP ${token}` }, 401],
    ['with two schemes', { authorization: `Bearer Bearer ${token}` }, 401],
    ['given twice', { authorization: `Bearer ${token}, Bearer ${token}` }, 401],
    ['after another scheme', { authorization: `Basic eDp5, Bearer ${token}` }, 401],
    ['empty', { authorization: 'Bearer ' }, 401],
    ['in quotes', { authorization: `Bearer "${token}"` }, 401],
    ['with a parameter', { authorization: `Bearer ${token}; x=1` }, 401],
    ['as a cookie', { cookie: `token=${token}; authorization=Bearer ${token}` }, 401],
    ['as another header', { 'x-access-token': token, 'proxy-authorization': `Bearer ${token}` }, 401],
  ])('%s', async (_, headers, status) => {
    expect(await production.status('/hello', headers as Record<string, string>)).toBe(status)
  })

  it.each(['token', 'access_token', 'authorization', 'jwt'])(
    'is ignored in the query as %s',
    async (name) => {
      expect(await production.status(`/hello?${name}=${token}`)).toBe(401)
    },
  )

  it('over 8 KiB is refused before it is parsed', async () => {
    const verifyToken = vi.fn<AuthProvider['verifyToken']>(() => ({ id: 'ada' }))
    const server = new GuardedServer({ authNext: { provider: { type: 'own', verifyToken } } })
    expect(await server.status('/hello', bearer('a'.repeat(8192)))).toBe(200)
    expect(verifyToken).toHaveBeenCalledTimes(1)
    expect(await server.status('/hello', bearer('a'.repeat(8193)))).toBe(401)
    expect(verifyToken).toHaveBeenCalledTimes(1)
    await server.close()
  })
})

describe('a custom provider', () => {
  afterEach(() => vi.useRealTimers())

  const withProvider = async (
    verifyToken: AuthProvider['verifyToken'],
    then: (server: GuardedServer) => Promise<void>,
  ) => {
    const server = new GuardedServer({ authNext: { provider: { type: 'own', verifyToken } } })
    await then(server)
    await server.close()
  }

  const refusals: [string, unknown][] = [
    ['null', null],
    ['undefined', undefined],
    ['false', false],
    ['true', true],
    ['an empty string', ''],
    ['a string', 'ada'],
    ['zero', 0],
    ['a number', 42],
    ['an array', [{ id: 'ada' }]],
    ['a function', () => ({ id: 'ada' })],
  ]

  it.each(refusals)('that returns %s admits nobody', async (_, given) => {
    for (const answer of [() => given, async () => given])
      await withProvider(answer as AuthProvider['verifyToken'], async (server) => {
        expect(await server.status('/hello', bearer('t'))).toBe(401)
      })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no: secret-of-the-provider')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no: secret-of-the-provider'))],
    [
      'throws undefined',
      () => {
        throw undefined
      },
    ],
  ] as [string, AuthProvider['verifyToken']][])(
    'that %s admits nobody, and its error is not disclosed',
    async (_, verifyToken) => {
      await withProvider(verifyToken, async (server) => {
        const response = await server.request('/hello', { headers: bearer('t') })
        expect(response.status).toBe(401)
        expect(await response.text()).not.toContain('secret-of-the-provider')
      })
    },
  )

  it('that does not respond is given up after ten seconds', async () => {
    await withProvider(
      () => new Promise(() => undefined),
      async (server) => {
        await server.status('/healthz')
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
        let status = 0
        const asked = server.status('/hello', bearer('t')).then((answer) => (status = answer))
        await vi.advanceTimersByTimeAsync(9900)
        expect(status).toBe(0)
        await vi.advanceTimersByTimeAsync(200)
        await asked
        expect(status).toBe(401)
      },
    )
  })

  it('that responds too late has no effect', async () => {
    let answer: (user: User) => void = () => undefined
    await withProvider(
      () => new Promise<User>((resolve) => (answer = resolve)),
      async (server) => {
        await server.status('/healthz')
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
        const asked = server.status('/hello', bearer('t'))
        await vi.advanceTimersByTimeAsync(10_100)
        expect(await asked).toBe(401)
        answer({ id: 'ada' })
        expect(server.errors).toEqual([])
      },
    )
  })

  it('is called with the token and the request, and only for user routes', async () => {
    const asked: string[] = []
    const verifyToken: AuthProvider['verifyToken'] = (given, { method, url, headers }) => {
      asked.push(`${given} ${method} ${new URL(url).pathname} ${headers.get('x-tenant') ?? ''}`)
      return { id: 'ada' }
    }
    await withProvider(verifyToken, async (server) => {
      await server.status('/hello', { ...bearer('t1'), 'x-tenant': 'blue' })
      await server.status('/workflows', bearer('t2'))
      await server.status('/healthz', bearer('t3'))
      await server.status('/hello', keyHeader())
      expect(asked).toEqual(['t1 GET /hello blue'])
    })
  })

  it('that returns a user which is not JSON is logged; the response is the generic message', async () => {
    const verifyToken = () => ({ id: 'ada', since: new Date(0) })
    await withProvider(verifyToken, async (server) => {
      const json = { input: {} }
      const response = await server.request('/workflows/whoami/run', {
        method: 'POST',
        headers: bearer('t'),
        json,
      })
      expect(response.status).toBe(500)
      expect(await response.json()).toEqual({ success: false, error: 'Internal server error' })
      expect(JSON.stringify(server.logs)).toContain('user.since')
    })
  })
})

describe('the development bypass', () => {
  it.each([
    ['true', 200],
    ['TRUE', 401],
    ['True', 401],
    ['1', 401],
    ['yes', 401],
    ['', 401],
    ['true, true', 401],
    ['true;', 401],
    ['false', 401],
  ])('requires the header value true; %j gets %i', async (value, status) => {
    expect(await next.status('/workflows', { 'x-service-dev': value })).toBe(status)
    expect(await next.status('/hello', { 'x-service-dev': value })).toBe(status)
  })

  it('is ignored in the query, in a cookie and under another name', async () => {
    expect(await next.status('/workflows?dev=true')).toBe(401)
    expect(await next.status('/hello?dev=true&x-service-dev=true')).toBe(401)
    expect(
      await next.status('/hello', { cookie: 'x-service-dev=true', 'x-dev': 'true', service_dev: 'true' }),
    ).toBe(401)
  })

  it.each([
    ['production', true],
    ['Production ', true],
    ['PRODUCTION', true],
    ['\tproduction\n', true],
    ['prod', false],
    ['productions', false],
    ['', false],
    [undefined, false],
  ])('NODE_ENV %j is production: %s', async (NODE_ENV, is) => {
    expect(isProduction({ NODE_ENV })).toBe(is)
    const server = new GuardedServer(
      { authNext: { provider: provider() } },
      { production: isProduction({ NODE_ENV }) },
    )
    expect(await server.status('/workflows', DEV)).toBe(is ? 401 : 200)
    await server.close()
  })

  const LOCAL = [
    'localhost',
    'localhost:3141',
    'LocalHost',
    'my.localhost:1',
    '127.0.0.1:3141',
    '127.1.2.3',
    '[::1]:3141',
    '[::1]',
  ]
  const REMOTE = [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil-localhost',
    'notlocalhost',
    'localhost.',
    '192.168.1.20:3141',
    '10.0.0.1',
    '169.254.169.254',
    '0.0.0.0:3141',
    '[::]:3141',
    '[fe80::1]',
    '[::ffff:127.0.0.1]',
    '0x7f.1',
    '2130706433',
    '127.1',
    '127.0.0.1.nip.io',
    'localhost@evil.example',
    'evil.example:localhost',
    '',
  ]
  const REFUSED_ORIGINS = [
    'http://localhost:5173',
    'http://127.0.0.2:3141',
    'https://ui.localhost',
    'http://[::1]:8080',
    'https://evil.example',
    'null',
    '',
    'http://localhost.evil.example',
    'http://evil.example#localhost',
    'http://localhost@evil.example',
    'http://127.0.0.1.evil.example',
    'http://192.168.1.20:3141',
    'file://',
    'chrome-extension://abcdef',
    'localhost',
  ]
  const ask = (host: string, origin: string | undefined, more: Record<string, string> = {}) =>
    next.status('/workflows', { ...DEV, host, ...(origin !== undefined && { origin }), ...more })

  it.each(LOCAL.flatMap((host) => [undefined, `http://${host}`].map((origin) => [host, origin] as const)))(
    'is accepted from the host %s and the origin %s',
    async (host, origin) => {
      expect(await ask(host, origin)).toBe(200)
    },
  )

  it.each(REMOTE)('is refused from the host %j, with any origin', async (host) => {
    for (const origin of [undefined, ...REFUSED_ORIGINS, `http://${host}`])
      expect([origin, await ask(host, origin)]).toEqual([origin, 401])
  })

  it.each(REFUSED_ORIGINS)('is refused from the origin %j, with any host', async (origin) => {
    for (const host of LOCAL) expect([host, await ask(host, origin)]).toEqual([host, 401])
  })

  it('is refused from a page that Sec-Fetch-Site says is of another origin', async () => {
    for (const site of ['cross-site', 'same-site'])
      for (const origin of [undefined, 'http://localhost'])
        expect(await ask('localhost', origin, { 'sec-fetch-site': site })).toBe(401)
    for (const site of ['same-origin', 'none'])
      expect(await ask('localhost', undefined, { 'sec-fetch-site': site })).toBe(200)
  })

  it('ignores the headers of proxies', async () => {
    const proxied = {
      'x-forwarded-host': 'localhost',
      'x-forwarded-for': '127.0.0.1',
      forwarded: 'host=localhost',
    }
    expect(await ask('evil.example', undefined, { ...proxied, 'x-real-ip': '127.0.0.1' })).toBe(401)
    expect(await ask('localhost', undefined, { 'x-forwarded-host': 'evil.example' })).toBe(200)
  })

  it('follows allowedHosts and cors.origins', async () => {
    const server = new GuardedServer({
      authNext: { provider: provider() },
      allowedHosts: ['dev.example'],
      cors: { origins: ['https://app.example'] },
    })
    const from = (host: string, origin?: string) =>
      server.status('/workflows', { ...DEV, host, ...(origin !== undefined && { origin }) })
    expect(await from('dev.example:8443')).toBe(200)
    expect(await from('dev.example', 'https://app.example')).toBe(200)
    expect(await from('localhost', 'https://app.example')).toBe(200)
    expect(await from('localhost', 'https://app.example:8443')).toBe(401)
    expect(await from('localhost', 'http://app.example')).toBe(401)
    expect(await from('sub.dev.example')).toBe(401)
    await server.close()
  })
})

describe('pages of other origins', () => {
  const server = new GuardedServer(
    { authNext: { provider: provider() }, cors: { origins: ['https://app.example'] } },
    { production: true },
  )
  afterAll(() => server.close())
  const corsOf = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))
  const preflight = (origin: string, path = '/workflows/whoami/execute') =>
    server.request(path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    })

  it('get a preflight response when they are trusted', async () => {
    for (const path of ['/workflows/whoami/execute', '/hello', '/nothing']) {
      const response = await preflight('https://app.example', path)
      expect(response.status).toBe(204)
      expect(corsOf(response)).toMatchObject({
        'access-control-allow-origin': 'https://app.example',
        'access-control-allow-headers': expect.stringMatching(
          /authorization.*x-console-access-key.*traceparent, tracestate/i,
        ) as string,
      })
      expect(response.headers.get('vary')).toBe('Origin')
      expect(response.headers.has('access-control-allow-credentials')).toBe(false)
    }
  })

  it.each(['/hello', '/workflows', '/nothing', '/healthz'])(
    'may read every response of %s when they are trusted, refusals included',
    async (path) => {
      for (const headers of [{}, bearer(token), keyHeader()]) {
        const response = await server.request(path, {
          headers: { origin: 'https://app.example', ...headers },
        })
        expect(corsOf(response)['access-control-allow-origin']).toBe('https://app.example')
        expect(corsOf(response)['access-control-expose-headers']).toContain('X-Request-Id')
        expect(response.headers.get('x-content-type-options')).toBe('nosniff')
        expect(response.headers.get('vary')).toBe('Origin')
      }
    },
  )

  it.each([
    'https://evil.example',
    'https://app.example.evil.example',
    'http://app.example',
    'https://app.example:444',
    'null',
    'http://localhost:5173',
  ])(
    'get no CORS headers when they are not trusted, in production also from loopback: %s',
    async (origin) => {
      const response = await preflight(origin)
      expect(response.status).toBe(401)
      expect(corsOf(response)).toEqual({})
      expect(corsOf(await server.request('/hello', { headers: { origin, ...bearer(token) } }))).toEqual({})
    },
  )
})
