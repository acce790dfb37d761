import { DEFAULT_CONSOLE_ROUTES, DEFAULT_PUBLIC_ROUTES, PROTECTED_ROUTES } from 'agentserver'
import { afterAll, describe, expect, it } from 'vitest'
import { resolveConfig } from '../../src/config/config.ts'
import { ENDPOINT_LIST } from '../../src/contract/index.ts'
import { CREDENTIALS, OPENED_BY, ROUTES } from './access-table.ts'
import type { Credential, Environment, Group, Mode } from './access-table.ts'
import {
  DEV,
  GuardedServer,
  KEY,
  SECRET,
  bearer,
  keyHeader,
  provider,
  tokenOf,
} from '../support/server/guarded-server.ts'

const MODES = {
  authNext: { authNext: { provider: provider(), authorizationServers: ['https://login.example.com'] } },
  legacy: { auth: provider() },
  'legacy, defaultPrivate': { auth: provider({ defaultPrivate: true }) },
  none: {},
} as const

const token = await tokenOf()
const expired = await tokenOf({ sub: 'ada' }, { expiresIn: '-1m' })

const SENT: Readonly<Record<Credential, Readonly<Record<string, string>>>> = {
  none: {},
  key: keyHeader(),
  keyQuery: {},
  wrongKey: keyHeader('not-the-key'),
  token: bearer(token),
  expired: bearer(expired),
  bypass: DEV,
}

const cases = (Object.keys(MODES) as Mode[]).flatMap((mode) =>
  (['development', 'production'] as const).map((environment) => [mode, environment] as const),
)

interface Row {
  readonly route: string
  readonly group: Group
  /** The status of an admitted request. */
  readonly served: number
  /** The mode that serves it. Default: all. */
  readonly mode?: Mode
}

/** The routes to test. A repeated query parameter is refused after the gate and before the handler. */
const rows: Row[] = [
  ...ENDPOINT_LIST.map(([, { method, path, onlyWith }]): Row => {
    const route = `${method} ${path}`
    return { route, group: ROUTES[route] ?? 'unknown', served: 400, ...(onlyWith && { mode: 'authNext' }) }
  }),
  { route: 'GET /hello', group: 'custom', served: 200 },
  { route: 'GET /nothing/here', group: 'unknown', served: 404 },
]

/** The statuses of a route for one credential; for GET routes also those of HEAD. */
async function answers(server: GuardedServer, { route }: Row, credential: Credential): Promise<number[]> {
  const [method = '', path = ''] = route.split(' ')
  const target = path.replaceAll(/:\w+/g, 'x')
  const query = `?twice=1&twice=2${credential === 'keyQuery' ? `&key=${KEY}` : ''}`
  const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
  return Promise.all(methods.map((one) => server.status(target + query, SENT[credential], one)))
}

/** The cases in which the server and the table differ. */
async function departures(server: GuardedServer, mode: Mode, environment: Environment): Promise<string[]> {
  const wrong: string[] = []
  for (const row of rows.filter((one) => (one.mode ?? mode) === mode))
    for (const credential of CREDENTIALS) {
      const expected = OPENED_BY[mode][environment][row.group].includes(credential) ? row.served : 401
      for (const status of await answers(server, row, credential))
        if (status !== expected) wrong.push(`${row.route} with ${credential}: ${status}, not ${expected}`)
    }
  return wrong
}

describe('the access table', () => {
  it('has every endpoint', () => {
    const served = ENDPOINT_LIST.map(([, { method, path }]) => `${method} ${path}`)
    expect(served.filter((route) => ROUTES[route] === undefined)).toEqual([])
    expect(served.length).toBeGreaterThan(20)
  })

  it.each(cases)('holds for every route and credential: %s in %s', async (mode, environment) => {
    const server = new GuardedServer(MODES[mode], { production: environment === 'production' })
    expect(await departures(server, mode, environment)).toEqual([])
    await server.close()
  })

  it('is the same for auth in production as for the authNext that replaces it', async () => {
    const publicRoutes = [...DEFAULT_PUBLIC_ROUTES, 'GET /hello']
    const server = new GuardedServer(
      { authNext: { provider: provider(), publicRoutes } },
      { production: true },
    )
    const found = await departures(server, 'legacy', 'production')
    // unknown routes are not distinguishable from private ones
    expect(found.filter((departure) => !departure.startsWith('GET /nothing'))).toEqual([])
    await server.close()
  })

  it('agrees with the exported lists', () => {
    const served = new Set<string>(ENDPOINT_LIST.map(([, { method, path }]) => `${method} ${path}`))
    const inGroups = (...groups: Group[]) =>
      Object.entries(ROUTES).flatMap(([route, group]) =>
        groups.includes(group) && served.has(route) ? [patternOf(route)] : [],
      )
    const handshakes = (routes: readonly string[]) => routes.filter((route) => !route.startsWith('WS '))
    const set = (routes: readonly string[]) => [...new Set(routes)].toSorted()
    expect(set(handshakes(DEFAULT_CONSOLE_ROUTES))).toEqual(
      set(inGroups('management', 'docs', 'discovery', 'observability', 'updates', 'schedules', 'login')),
    )
    expect(set(handshakes(DEFAULT_PUBLIC_ROUTES))).toEqual(
      set(inGroups('management', 'docs', 'discovery', 'inspection')),
    )
    expect(set(handshakes(PROTECTED_ROUTES))).toEqual(
      set(inGroups('execution', 'setup', 'observability', 'updates', 'schedules', 'login')),
    )
  })
})

function patternOf(route: string): string {
  return route.includes(' /observability/') ? '/observability/*' : route
}

describe('an admitted request', () => {
  const next = new GuardedServer({ authNext: { provider: provider() } })
  const production = new GuardedServer({ authNext: { provider: provider() } }, { production: true })
  const legacy = new GuardedServer({ auth: provider() }, { production: true })
  afterAll(() => Promise.all([next.close(), production.close(), legacy.close()]))

  it('gets the response of the route', async () => {
    const list = await production.request('/workflows', { headers: keyHeader() })
    expect(await list.json()).toMatchObject({ success: true, data: [{ id: 'whoami' }, { id: 'wait' }] })
    const headers = bearer(token)
    const run = await production.request('/workflows/whoami/run', {
      method: 'POST',
      headers,
      json: { input: {} },
    })
    expect(await run.json()).toMatchObject({ success: true, data: { status: 'completed' } })
  })

  it.each([
    ['/workflows', 'ConsoleKey'],
    ['/hello', 'Bearer'],
  ])('requires credentials, which a 401 names in WWW-Authenticate: %s', async (path, scheme) => {
    const response = await production.request(path)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(new RegExp(`^${scheme} realm="agentserver"$`))
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const body: unknown = await response.json()
    expect(body).toEqual({ success: false, error: expect.stringMatching(/required$/) as string })
  })

  it('has key and token to write trace-export credentials in production', async () => {
    for (const server of [production, legacy]) {
      const ask = (headers: Record<string, string>) =>
        server.request('/setup-observability', { method: 'POST', headers, json: {} })
      expect((await ask({ ...keyHeader(), ...bearer(token) })).status).toBe(400)
      expect((await ask(keyHeader())).status).toBe(401)
      expect((await ask(bearer(token))).status).toBe(401)
      expect((await ask({ ...keyHeader('wrong'), ...bearer(token) })).status).toBe(401)
      expect((await ask({ ...keyHeader(), ...bearer(expired) })).status).toBe(401)
    }
  })

  it('gains nothing from a second kind of credential', async () => {
    const both = { ...keyHeader(), ...bearer(token) }
    expect(await production.status('/workflows', both)).toBe(200)
    expect(await production.status('/hello', both)).toBe(200)
    expect(await production.status('/workflows', { ...keyHeader('wrong'), ...bearer(token) })).toBe(401)
    expect(await production.status('/hello', { ...keyHeader(), ...bearer(expired) })).toBe(401)
    expect(await production.status(`/hello?key=${KEY}&token=${token}`)).toBe(401)
    expect(await production.status(`/workflows?token=${token}`)).toBe(401)
    expect(await next.status('/workflows', { ...keyHeader('wrong'), ...DEV })).toBe(200)
    expect(await next.status('/hello', { ...bearer(expired), ...DEV })).toBe(200)
  })

  it('to a console route is impossible in production without a configured console key', async () => {
    for (const consoleKey of [undefined, '', '   ']) {
      const server = new GuardedServer(
        { authNext: { provider: provider() } },
        { production: true, consoleKey },
      )
      for (const key of ['', ' ', 'undefined', 'null', KEY]) {
        expect(await server.status('/workflows', keyHeader(key))).toBe(401)
        expect(await server.status(`/workflows?key=${encodeURIComponent(key)}`)).toBe(401)
      }
      expect(await server.status('/workflows', { ...bearer(token), ...DEV })).toBe(401)
      expect(await server.status('/hello', bearer(token))).toBe(200)
      await server.close()
    }
  })
})

describe('public and console routes of a configuration', () => {
  const open = async (authNext: object, then: (server: GuardedServer) => Promise<void>) => {
    const server = new GuardedServer(
      { authNext: { provider: provider(), ...authNext } },
      { production: true },
    )
    await then(server)
    await server.close()
  }

  it('public takes precedence over console', () =>
    open(
      { publicRoutes: ['GET /workflows'], consoleRoutes: ['/workflows/*', 'GET /hello'] },
      async (server) => {
        expect(await server.status('/workflows')).toBe(200)
        expect(await server.status('/workflows/whoami')).toBe(401)
        expect(await server.status('/workflows/whoami', keyHeader())).toBe(200)
        expect(await server.status('/hello', keyHeader())).toBe(200)
        expect(await server.status('/hello', bearer(token))).toBe(401)
      },
    ))

  it('consoleRoutes replaces the default console routes', () =>
    open({ consoleRoutes: ['GET /admin/*'] }, async (server) => {
      expect(await server.status('/admin/users', keyHeader())).toBe(200)
      expect(await server.status('/admin/users', bearer(token))).toBe(401)
      expect(await server.status('/workflows', keyHeader())).toBe(401)
      expect(await server.status('/workflows', bearer(token))).toBe(200)
    }))

  it('an empty consoleRoutes means no console routes', () =>
    open({ consoleRoutes: [] }, async (server) => {
      expect(await server.status('/doc', keyHeader())).toBe(401)
      expect(await server.status('/doc', bearer(token))).toBe(200)
    }))

  it('DEFAULT_CONSOLE_ROUTES can be spread to extend the defaults', () =>
    open({ consoleRoutes: [...DEFAULT_CONSOLE_ROUTES, 'GET /admin/*'] }, async (server) => {
      for (const path of [
        '/admin/users',
        '/workflows',
        '/workflows/whoami',
        '/doc',
        '/observability/executions',
      ]) {
        expect(await server.status(path, keyHeader())).toBe(200)
        expect(await server.status(path, bearer(token))).toBe(401)
      }
      expect(await server.status('/hello', bearer(token))).toBe(200)
    }))

  it("the provider's own public routes are public, in both modes", async () => {
    const own = provider({ publicRoutes: ['GET /hello', 'POST /hooks/:name'] })
    for (const config of [{ authNext: { provider: own } }, { auth: { ...own, defaultPrivate: true } }]) {
      const server = new GuardedServer(config, { production: true })
      expect(await server.status('/hello')).toBe(200)
      expect(await server.status('/hooks/stripe', {}, 'POST')).toBe(200)
      expect(await server.status('/shop')).toBe(401)
      await server.close()
    }
  })

  it('a public route gets the user of a valid token', () =>
    open({ publicRoutes: ['GET /hello'] }, async (server) => {
      const hello = async (headers: Record<string, string>) =>
        (await server.request('/hello', { headers })).json()
      expect(await hello({})).toEqual({ hi: null })
      expect(await hello(bearer(token))).toEqual({ hi: { id: 'ada' } })
      expect(await hello(bearer(expired))).toEqual({ hi: null })
    }))

  it('in legacy mode, defaultPrivate and publicRoutes affect custom routes, never the default public ones', async () => {
    const auth = provider({ defaultPrivate: true, publicRoutes: ['GET /shop/*'] })
    const server = new GuardedServer({ auth }, { production: true })
    expect(await server.status('/shop')).toBe(200)
    expect(await server.status('/shop/mug')).toBe(200)
    expect(await server.status('/hello')).toBe(401)
    expect(await server.status('/workflows')).toBe(200)
    await server.close()
  })

  it('authNext takes precedence over auth', async () => {
    const server = new GuardedServer(
      { authNext: { provider: provider() }, auth: provider() },
      { production: true },
    )
    expect(await server.status('/workflows')).toBe(401)
    expect(await server.status('/hello')).toBe(401)
    await server.close()
  })
})

describe('a route pattern', () => {
  const PATTERNS: readonly [pattern: string, opens: readonly string[], closed: readonly string[]][] = [
    [
      'GET /shop',
      ['GET /shop', 'HEAD /shop'],
      ['GET /shop/mug', 'PUT /shop/mug', 'GET /hello', 'GET /shop/'],
    ],
    ['/shop', ['GET /shop', 'HEAD /shop'], ['GET /shop/mug', 'GET /sho', 'GET /shops']],
    ['get /shop', ['GET /shop'], ['GET /hello']],
    [
      'GET /shop/:item',
      ['GET /shop/mug', 'HEAD /shop/mug'],
      ['GET /shop', 'PUT /shop/mug', 'GET /shop/mug/reviews'],
    ],
    ['/shop/:item', ['GET /shop/mug', 'PUT /shop/mug'], ['GET /shop', 'GET /shop/mug/reviews', 'GET /shop/']],
    ['PUT /shop/:item', ['PUT /shop/mug'], ['GET /shop/mug', 'HEAD /shop/mug']],
    ['HEAD /shop', ['HEAD /shop'], ['GET /shop']],
    [
      'GET /shop/*',
      ['GET /shop', 'GET /shop/mug', 'GET /shop/mug/reviews', 'HEAD /shop'],
      ['PUT /shop/mug', 'GET /shopping'],
    ],
    ['/shop/*', ['GET /shop', 'GET /shop/mug', 'PUT /shop/mug'], ['GET /hello', 'POST /hooks/a']],
    [
      '/shop/**',
      ['GET /shop', 'GET /shop/mug', 'GET /shop/mug/reviews', 'PUT /shop/mug'],
      ['GET /shopping', 'GET /hello'],
    ],
    ['/*', ['GET /shop', 'GET /hello', 'POST /hooks/a', 'GET /workflows'], []],
    ['WS /shop', [], ['GET /shop', 'HEAD /shop']],
    ['/shop.', [], ['GET /shop', 'GET /shopX']],
  ]

  it.each(PATTERNS)('"%s" matches exactly its routes', async (pattern, opens, closed) => {
    const authNext = { provider: provider(), publicRoutes: [pattern] }
    const server = new GuardedServer({ authNext }, { production: true })
    const isRefused = async (route: string) => {
      const [method = '', path = ''] = route.split(' ')
      return (await server.status(path, {}, method)) === 401
    }
    for (const route of opens) expect([route, await isRefused(route)]).toEqual([route, false])
    for (const route of closed) expect([route, await isRefused(route)]).toEqual([route, true])
    await server.close()
  })

  it.each([
    'shop',
    '',
    'FETCH /shop',
    'GET shop',
    '/a/*/b',
    '/a*',
    '/a//b',
    '/a b',
    '/a?x=1',
    '/a#b',
    '/:',
    '/:a-b',
    7,
  ])('%j is refused at start', (pattern) => {
    const authNext = { provider: provider(), publicRoutes: [pattern] }
    expect(() => resolveConfig({ authNext }, 'agentserver.config.ts')).toThrow(
      /authNext\.publicRoutes\[0\]: /,
    )
  })
})

describe('the user', () => {
  const server = new GuardedServer({
    authNext: { provider: provider(), publicRoutes: ['POST /workflows/:id/run'] },
  })
  afterAll(() => server.close())

  it('reaches the steps and the handlers of custom routes', async () => {
    const claims = {
      sub: 'ada',
      email: 'ada@example.com',
      tenantId: 't1',
      role: 'admin',
      other: 'not mapped',
    }
    const headers = bearer(await tokenOf(claims))
    const user = { id: 'ada', email: 'ada@example.com', tenantId: 't1', role: 'admin' }
    expect(await server.seenUser(headers)).toEqual({ user, userId: 'ada' })
    expect(await (await server.request('/hello', { headers })).json()).toEqual({ hi: user })
  })

  it('is that of the token, not that of the body', async () => {
    expect(await server.seenUser(bearer(token), { userId: 'grace' })).toMatchObject({ userId: 'ada' })
    const nameless = bearer(await tokenOf({ email: 'ada@example.com' }))
    expect(await server.seenUser(nameless, { userId: 'grace' })).toMatchObject({ userId: null })
    expect(await server.seenUser(DEV, { userId: 'grace' })).toEqual({ user: null, userId: 'grace' })
  })

  it('is also known on a public execution route', async () => {
    const run = async (headers: Record<string, string>) => {
      const json = { input: {}, options: { userId: 'grace' } }
      const response = await server.request('/workflows/whoami/run', { method: 'POST', headers, json })
      return ((await response.json()) as { data: { result: unknown } }).data.result
    }
    expect(await run({})).toMatchObject({ userId: 'grace' })
    expect(await run(bearer(token))).toMatchObject({ userId: 'ada' })
  })

  it('of an execution stays the one who started it when another resumes it', async () => {
    const options = { executionId: 'asked' }
    const json = { input: {}, options }
    await server.request('/workflows/wait/execute', { method: 'POST', headers: bearer(token), json })
    const other = bearer(await tokenOf({ sub: 'grace' }))
    const path = '/workflows/wait/executions/asked'
    await server.request(`${path}/resume`, { method: 'POST', headers: other, json: { resumeData: 1 } })
    const record = await (await server.request(path, { headers: bearer(token) })).json()
    expect(record).toMatchObject({ data: { status: 'completed', userId: 'ada' } })
  })
})

describe('the secret', () => {
  it('and the console key are in no response and no log record', async () => {
    const server = new GuardedServer({ authNext: { provider: provider() } })
    const texts: string[] = []
    for (const path of ['/', '/doc', '/ui', '/workflows', '/hello', '/nothing', `/workflows?key=${KEY}x`])
      for (const headers of [{}, DEV, keyHeader('wrong')])
        texts.push(await (await server.request(path, { headers })).text())
    const all = [...texts, JSON.stringify(server.logs)].join('\n')
    for (const secret of [SECRET, KEY, token]) expect(all).not.toContain(secret)
    expect(all).not.toContain(server.root)
    await server.close()
  })
})
