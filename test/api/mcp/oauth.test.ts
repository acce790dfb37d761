import { connectMcpServer, createTool } from 'agentserver'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { McpServerDetail, McpTool } from '../../../src/contract/endpoints/mcp.ts'
import { OAuthLogin } from '../../../src/mcp/connected/oauth/oauth-login.ts'
import { OAuthServer } from '../../support/mcp/oauth-server.ts'
import { KEY, bearer, keyHeader, provider, tokenOf } from '../../support/server/guarded-server.ts'
import { dataOf, refusalOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'
import { until } from '../../support/until.ts'

const NEEDS_LOGIN = /needs a login/
const hello = createTool({
  name: 'hello',
  description: 'Says hello',
  inputSchema: z.object({}),
  execute: () => 'hello',
})

let home: string
let remote: OAuthServer
const closes: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'agentserver-home-'))
  vi.stubEnv('HOME', home)
  remote = new OAuthServer()
  await remote.listen()
})
afterEach(async () => {
  for (const close of closes.splice(0).toReversed()) await close()
  await remote.close()
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

interface Started {
  readonly server: TestServer
  readonly url: string
  readonly printed: string[]
}

async function start(
  options: { clientId?: string; scopes?: string[] } = {},
  production = false,
): Promise<Started> {
  const printed: string[] = []
  const connected = connectMcpServer({ id: 'remote', url: remote.url, auth: 'oauth', ...options })
  const logger = pino({ level: 'warn' }, { write: (line: string) => void printed.push(line) })
  const server = new TestServer(
    {
      workflows: [],
      tools: [hello],
      mcpServers: [connected],
      ...(production && { authNext: { provider: provider() } }),
    },
    { logger, production },
  )
  const bound = await server.listen()
  closes.push(async () => {
    await bound.close(0)
    await server.close()
  })
  return { server, url: bound.url, printed }
}

const detail = ({ server }: Started) => dataOf<McpServerDetail>(server.request('/mcp/servers/remote'))
const linkOf = async ({ server }: Started) =>
  (await dataOf<{ link: string }>(server.post('/mcp/servers/remote/login'))).link
const ready = (started: Started) => until(async () => (await detail(started)).status === 'ready', 'ready')
const needsLogin = (started: Started) =>
  until(async () => (await detail(started)).status === 'login', 'a needed login')
const call = ({ server }: Started) => server.post('/tools/remote_whoami/execute', { input: {} })

/** What a browser does. */
async function logIn(started: Started): Promise<Response> {
  return fetch(await linkOf(started))
}

const files = () => readdirSync(path.join(home, '.agentserver/mcp')).filter((name) => name.endsWith('.json'))
const fileOf = (name: string) => path.join(home, '.agentserver/mcp', name)
const stored = () => readFileSync(fileOf(files()[0] ?? ''), 'utf8')

describe('a connected server with auth: oauth', () => {
  it('needs a login, while everything else works', async () => {
    const started = await start()
    await needsLogin(started)
    expect((await detail(started)).error).toMatch(NEEDS_LOGIN)
    expect(await refusalOf(call(started), 503)).toMatch(NEEDS_LOGIN)
    expect(await dataOf(started.server.request('/mcp/servers/remote/tools'))).toEqual([])
    await dataOf(started.server.post('/tools/hello/execute', { input: {} }))
  })

  it('is used after a login', async () => {
    const started = await start()
    await needsLogin(started)
    const page = await logIn(started)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('Logged in at remote')
    await ready(started)
    const tools = await dataOf<McpTool[]>(started.server.request('/mcp/servers/remote/tools'))
    expect(tools.map(({ name }) => name)).toEqual(['remote_whoami'])
    await dataOf(call(started))
    expect(remote.registered).toMatchObject([
      { client_name: 'agentserver', redirect_uris: [`${started.url}/mcp/oauth/callback`] },
    ])
    expect(remote.requestedScopes).toEqual(['read write offline_access'])
  })

  it('prints the link of the login, which is in no stored log', async () => {
    const started = await start()
    const line = () => started.printed.find((text) => text.includes('/authorize?'))
    await until(() => line() !== undefined, 'a printed link')
    const state = new URL(await linkOf(started)).searchParams.get('state') ?? 'none'
    expect(line()).toContain(state)
    const logs = await until(async () => {
      const text = await (await started.server.request('/api/logs')).text()
      return text.includes('MCP server needs a login') && text
    }, 'a stored log')
    expect(logs).not.toContain(state)
  })

  it('stores the tokens for the user of the machine, mode 0600', async () => {
    const started = await start()
    await needsLogin(started)
    await logIn(started)
    await ready(started)
    expect(files()).toHaveLength(1)
    expect(statSync(fileOf(files()[0] ?? '')).mode & 0o777).toBe(0o600)
    expect(statSync(path.join(home, '.agentserver/mcp')).mode & 0o777).toBe(0o700)
    expect(stored()).toContain([...remote.tokens.keys()][0])
  })

  it('finds the tokens after a restart', async () => {
    const first = await start()
    await needsLogin(first)
    await logIn(first)
    await ready(first)
    const second = await start()
    await ready(second)
    await dataOf(call(second))
    expect(remote.granted).toEqual(['authorization_code'])
  })

  it('connects when the user logs in with another process', async () => {
    const [first, second] = [await start(), await start()]
    await needsLogin(first)
    await needsLogin(second)
    await logIn(first)
    await ready(first)
    await ready(second)
    expect((await call(second)).status).toBe(200)
  })

  it('refreshes an expired token', async () => {
    const started = await start()
    await needsLogin(started)
    await logIn(started)
    await ready(started)
    remote.expire()
    await dataOf(call(started))
    expect(remote.granted).toEqual(['authorization_code', 'refresh_token'])
    expect(stored()).toContain([...remote.tokens.keys()][0])
  })

  it('needs a login again when the tokens are revoked', async () => {
    const started = await start()
    await needsLogin(started)
    await logIn(started)
    await ready(started)
    remote.revoke()
    expect(await refusalOf(call(started), 503)).toContain('did not respond')
    await needsLogin(started)
    await logIn(started)
    await ready(started)
    await dataOf(call(started))
  })

  it('requests the configured scopes and uses the configured client', async () => {
    const started = await start({ clientId: 'known', scopes: ['read'] })
    await needsLogin(started)
    await logIn(started)
    await ready(started)
    expect(remote.requestedScopes).toEqual(['read'])
    expect(remote.registered).toEqual([])
    expect([...remote.tokens.values()]).toEqual([{ clientId: 'known', scope: 'read' }])
  })

  it('redacts the tokens', async () => {
    const started = await start()
    await needsLogin(started)
    await logIn(started)
    await ready(started)
    const [token = ''] = remote.tokens.keys()
    const leak = createTool({
      name: 'leak',
      description: 'Leaks',
      inputSchema: z.object({}),
      execute: (_, { logger }) => {
        logger.warn(`the token is ${token}`)
        return null
      },
    })
    const own = connectMcpServer({ id: 'remote', url: remote.url, auth: 'oauth' })
    const other = new TestServer({ workflows: [], tools: [leak], mcpServers: [own] })
    closes.push(() => other.close())
    await until(
      async () => (await dataOf<McpServerDetail>(other.request('/mcp/servers/remote'))).status === 'ready',
      'ready',
    )
    await dataOf(other.post('/tools/leak/execute', { input: {} }))
    expect(JSON.stringify(other.logs)).toContain('the token is')
    expect(JSON.stringify(other.logs)).not.toContain(token)
    expect(await (await other.request('/mcp/servers/remote')).text()).not.toContain(token)
  })
})

describe('the route to which a login comes back', () => {
  it('takes a state once, and no other', async () => {
    const started = await start()
    await needsLogin(started)
    const unknown = `${started.url}/mcp/oauth/callback?code=x&state=${'A'.repeat(43)}`
    expect(await refusalOf(fetch(unknown), 404)).toContain('Login not found')
    await refusalOf(fetch(`${started.url}/mcp/oauth/callback?code=x`), 400)
    const redirect = await fetch(await linkOf(started), { redirect: 'manual' })
    const location = redirect.headers.get('location') ?? ''
    expect((await fetch(location, { method: 'HEAD' })).status).toBe(200)
    expect((await fetch(location)).status).toBe(200)
    await refusalOf(fetch(location), 404)
    await ready(started)
  })

  it('reports a user who was refused, and offers another login', async () => {
    const started = await start()
    await needsLogin(started)
    const before = await linkOf(started)
    remote.agrees = false
    expect(await refusalOf(fetch(before), 403)).toBe('The login was refused')
    remote.agrees = true
    await until(async () => (await linkOf(started)) !== before, 'another link')
    await logIn(started)
    await ready(started)
  })

  it('refuses a code that the authorization server did not issue', async () => {
    const started = await start()
    await needsLogin(started)
    const state = new URL(await linkOf(started)).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ state, code: 'forged', iss: remote.origin })
    await refusalOf(fetch(`${started.url}/mcp/oauth/callback?${String(query)}`), 503)
    expect((await detail(started)).status).toBe('login')
  })

  it('needs the console key in production, as does the link', async () => {
    vi.stubEnv('SERVICE_CONSOLE_ACCESS_KEY', KEY)
    const started = await start({}, true)
    const token = bearer(await tokenOf())
    const asked = () =>
      started.server.request('/mcp/servers/remote/login', { method: 'POST', headers: keyHeader() })
    await until(async () => (await asked()).ok, 'a link')
    await refusalOf(
      started.server.request('/mcp/servers/remote/login', { method: 'POST', headers: token }),
      401,
    )
    const { link } = await dataOf<{ link: string }>(asked())
    const location = (await fetch(link, { redirect: 'manual' })).headers.get('location') ?? ''
    await refusalOf(fetch(location), 401)
    await refusalOf(fetch(location, { headers: token }), 401)
    expect((await fetch(location, { headers: keyHeader() })).status).toBe(200)
  })

  it('gives the link to no page of another origin', async () => {
    const started = await start()
    await needsLogin(started)
    const headers = { origin: 'http://127.0.0.1:9', 'content-type': 'application/json' }
    const sent = fetch(`${started.url}/mcp/servers/remote/login`, { method: 'POST', headers })
    expect(await refusalOf(sent, 403)).toContain('origins')
  })

  it('is there for servers with auth: oauth only', async () => {
    const server = new TestServer({ mcpServers: [connectMcpServer({ id: 'plain', url: remote.url })] })
    closes.push(() => server.close())
    expect(await refusalOf(server.post('/mcp/servers/plain/login'), 409)).toContain('has no login')
    expect(await refusalOf(server.post('/mcp/servers/none/login'), 404)).toContain('not found')
  })
})

describe('processes whose token has expired', () => {
  it('refresh it once', async () => {
    const started = await start()
    await needsLogin(started)
    await logIn(started)
    await ready(started)
    remote.expire()
    const script = path.join(import.meta.dirname, '../../support/process/call-with-login.mjs')
    const loader = path.join(import.meta.dirname, '../../support/process/run-typescript.mjs')
    const run = () =>
      new Promise<string>((resolve) => {
        const child = spawn(process.execPath, ['--import', loader, script, remote.url], {
          env: { ...process.env, HOME: home },
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        let out = ''
        child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
        child.on('close', () => resolve(out))
      })
    expect(await Promise.all([run(), run(), run()])).toEqual(['200', '200', '200'])
    expect(remote.granted).toEqual(['authorization_code', 'refresh_token'])
  })

  it('refresh it once within a process, too', async () => {
    const started = await start()
    await needsLogin(started)
    await logIn(started)
    await ready(started)
    remote.expire()
    await Promise.all(Array.from({ length: 5 }, async () => dataOf(call(started))))
    expect(remote.granted).toEqual(['authorization_code', 'refresh_token'])
  })
})

describe('connectMcpServer({ auth })', () => {
  it.each([
    [{ auth: 'basic' }, "auth must be 'oauth'"],
    [{ auth: 'oauth', url: 'http://mcp.example.com/mcp' }, 'auth needs a url with https'],
    [{ auth: 'oauth', headers: { authorization: 'Bearer x' } }, 'headers must not have Authorization'],
    [{ clientId: 'x' }, "clientId and scopes need auth: 'oauth'"],
    [{ auth: 'oauth', clientId: '' }, 'clientId must be a string'],
    [{ auth: 'oauth', scopes: [] }, 'scopes must be an array'],
    [{ auth: 'oauth', scopes: ['a b'] }, 'scopes must be an array'],
  ])('reports a problem of %j', (options, problem) => {
    const { problems } = connectMcpServer({ id: 'a', url: 'https://x.example/mcp', ...options } as never)
    expect(problems.join()).toContain(problem)
  })

  it('starts no login while nothing listens on loopback', async () => {
    const login = new OAuthLogin({
      url: remote.url,
      clientId: undefined,
      scopes: undefined,
      redirectUrl: () => undefined,
      onSecrets: () => undefined,
    })
    await expect(login.start()).rejects.toThrow('loopback')
  })

  it('reports an error when the tokens cannot be stored, and everything else works', async () => {
    writeFileSync(path.join(home, '.agentserver'), 'a file')
    const started = await start()
    await until(async () => (await detail(started)).status === 'error', 'an error')
    const { result } = await dataOf<{ result: unknown }>(
      started.server.post('/tools/hello/execute', { input: {} }),
    )
    expect(result).toBe('hello')
  })
})
