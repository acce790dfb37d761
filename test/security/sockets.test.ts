import { connect } from 'node:net'
import { SignJWT } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { jwtAuth } from '../../src/auth/jwt-auth.ts'
import { DEFAULT_CONSOLE_ROUTES, PROTECTED_ROUTES } from '../../src/contract/index.ts'
import { resolveConfig } from '../../src/config/config.ts'
import type { AgentServerConfig } from '../../src/config/config.ts'
import { createServer } from '../../src/server/create-server.ts'
import type { AgentServer } from '../../src/server/create-server.ts'
import { until } from '../support/until.ts'

const SECRET = 'a secret of more than thirty-two bytes'
const KEY = 'console-key'
const provider = jwtAuth({ secret: SECRET })

const servers: AgentServer[] = []

afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function token(): Promise<string> {
  const jwt = new SignJWT({ email: 'ada@example.com' }).setSubject('ada').setProtectedHeader({ alg: 'HS256' })
  return jwt.setExpirationTime('1h').sign(new TextEncoder().encode(SECRET))
}

async function listening(
  config: AgentServerConfig,
  production = false,
): Promise<{ port: number; server: AgentServer }> {
  vi.stubEnv('SERVICE_CONSOLE_ACCESS_KEY', KEY)
  const server = createServer({ database: ':memory:', ...config }, { production })
  servers.push(server)
  const { port } = await server.listen({ port: 0 })
  return { port, server }
}

const ROOMS: AgentServerConfig = {
  webSockets: {
    '/rooms/:room': (socket, { user, params }) => {
      socket.send(JSON.stringify({ user: user?.id ?? null, room: params['room'] }))
      socket.on('message', (data: Buffer) => socket.send(`heard ${data.toString()}`))
    },
    '/broken': () => {
      throw new Error('no such thing')
    },
  },
}

interface Attempt {
  readonly status: number
  /** The first message of an open socket, or the body of the refusal. */
  readonly text: string
}

function attempt(port: number, path: string, options: WebSocket.ClientOptions = {}): Promise<Attempt> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, options)
    socket.on('message', (data: Buffer) => {
      resolve({ status: 101, text: data.toString() })
      socket.close()
    })
    socket.on('unexpected-response', (_, response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    socket.on('error', reject)
  })
}

describe('a WebSocket of the configuration', () => {
  it.each([
    // mode, production, none, ?token, ?token=wrong, ?key, ?dev, unknown path, unknown path with a token
    ['authNext', false, [401, 101, 401, 401, 101, 401, 404]],
    ['authNext', true, [401, 101, 401, 401, 401, 401, 404]],
    ['auth', false, [101, 101, 101, 101, 101, 404, 404]],
    ['auth, defaultPrivate', false, [401, 101, 401, 401, 101, 401, 404]],
    ['none', false, [101, 101, 101, 101, 101, 404, 404]],
    ['none', true, [101, 101, 101, 101, 101, 404, 404]],
  ])('with %s, in production: %s, opens by the access table', async (mode, production, expected) => {
    const settings: Record<string, AgentServerConfig> = {
      authNext: { authNext: { provider } },
      auth: { auth: provider },
      'auth, defaultPrivate': { auth: jwtAuth({ secret: SECRET, defaultPrivate: true }) },
      none: {},
    }
    const { port } = await listening({ ...ROOMS, ...settings[mode] }, production)
    const valid = await token()
    const queries = ['', `?token=${valid}`, '?token=wrong', `?key=${KEY}`, '?dev=true']
    const paths = [...queries.map((query) => `/rooms/a${query}`), '/nowhere', `/nowhere?token=${valid}`]
    const answers = await Promise.all(paths.map((path) => attempt(port, path)))
    expect(answers.map(({ status }) => status)).toEqual(expected)
    for (const { status, text } of answers.filter((answer) => answer.status !== 101)) {
      expect([status, Object.keys(JSON.parse(text) as object)]).toEqual([status, ['success', 'error']])
    }
  })

  it('passes the user and the path parameters to its handler', async () => {
    const { port } = await listening({ ...ROOMS, authNext: { provider } })
    const { text } = await attempt(port, `/rooms/lobby?token=${await token()}`)
    expect(JSON.parse(text)).toEqual({ user: 'ada', room: 'lobby' })
  })

  it('is refused when its token or its bypass is given twice', async () => {
    const { port } = await listening({ ...ROOMS, authNext: { provider } })
    const valid = await token()
    expect((await attempt(port, `/rooms/a?token=${valid}&token=${valid}`)).status).toBe(401)
    expect((await attempt(port, '/rooms/a?dev=true&dev=true')).status).toBe(401)
  })

  it('can be made public by a route pattern', async () => {
    const { port } = await listening({ ...ROOMS, authNext: { provider, publicRoutes: ['WS /rooms/*'] } })
    expect((await attempt(port, '/rooms/a')).status).toBe(101)
  })

  it('can require the console key', async () => {
    const { port } = await listening({ ...ROOMS, authNext: { provider, consoleRoutes: ['WS /rooms/:room'] } })
    expect((await attempt(port, `/rooms/a?key=${KEY}`)).status).toBe(101)
    expect((await attempt(port, '/rooms/a', { headers: { 'x-console-access-key': KEY } })).status).toBe(101)
    expect((await attempt(port, `/rooms/a?key=${KEY}&key=${KEY}`)).status).toBe(401)
    expect((await attempt(port, `/rooms/a?token=${await token()}`)).status).toBe(401)
  })

  it('refuses pages of other sites, with and without the bypass', async () => {
    const open = await listening(ROOMS)
    expect((await attempt(open.port, '/rooms/a', { origin: 'https://evil.example' })).status).toBe(403)
    expect((await attempt(open.port, '/rooms/a', { origin: 'http://localhost:5173' })).status).toBe(403)
    const own = { origin: `http://127.0.0.1:${open.port}` }
    expect((await attempt(open.port, '/rooms/a', own)).status).toBe(101)
    const guarded = await listening({ ...ROOMS, authNext: { provider } })
    const foreign = { origin: 'https://localhost.evil.example' }
    expect((await attempt(guarded.port, '/rooms/a?dev=true', foreign)).status).toBe(401)
    expect((await attempt(guarded.port, `/rooms/a?token=${await token()}`, foreign)).status).toBe(101)
  })

  it('is closed with 1009 for a message over 1 MiB and with 1011 when its handler throws', async () => {
    const { port } = await listening(ROOMS)
    const large = new WebSocket(`ws://127.0.0.1:${port}/rooms/a`)
    large.on('error', () => undefined)
    large.on('open', () => large.send('x'.repeat(1024 * 1024 + 1)))
    expect(await new Promise((resolve) => large.on('close', resolve))).toBe(1009)
    const broken = new WebSocket(`ws://127.0.0.1:${port}/broken`)
    expect(await new Promise((resolve) => broken.on('close', resolve))).toBe(1011)
    expect((await attempt(port, '/rooms/a')).status).toBe(101)
  })

  it('is closed with 1001 when the server stops', async () => {
    const { port, server } = await listening(ROOMS)
    const socket = new WebSocket(`ws://127.0.0.1:${port}/rooms/a`)
    await new Promise((resolve) => socket.on('message', resolve))
    const closed = new Promise((resolve) => socket.on('close', resolve))
    await server.close()
    expect(await closed).toBe(1001)
  })

  it.each(['//rooms/a', 'http://[', '/rooms\\a', `/rooms/a?q=${'x'.repeat(9000)}`, '*'])(
    'responds to a handshake for %.20s with 400, and the server keeps running',
    async (target) => {
      const { port } = await listening(ROOMS)
      const lines = [
        'Host: localhost',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
      ]
      const request = `GET ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
      const answer = await new Promise<string>((resolve, reject) => {
        let text = ''
        const socket = connect(port, '127.0.0.1', () => socket.write(request))
        socket.on('data', (chunk) => (text += chunk.toString()))
        socket.on('close', () => resolve(text))
        socket.on('error', reject)
      })
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toMatch(/\{"success":false,"error":"[^"]+"\}$/)
      expect((await attempt(port, '/rooms/a')).status).toBe(101)
    },
  )
})

/** The status of a handshake, and the body of a refusal. */
function handshake(port: number, path: string, options: WebSocket.ClientOptions = {}): Promise<Attempt> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, options)
    socket.on('open', () => {
      resolve({ status: 101, text: '' })
      socket.close()
    })
    socket.on('unexpected-response', (_, response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    socket.on('error', reject)
  })
}

const CHANNEL_PATHS = ['/ws', '/ws/logs', '/ws/observability', '/ws/observability/traces/any']

describe("the server's own channels", () => {
  it.each([
    // mode, production, none, ?token, ?key, wrong key, two keys, ?dev
    ['authNext', false, [401, 401, 101, 401, 401, 101]],
    ['authNext', true, [401, 401, 101, 401, 401, 401]],
    ['auth', false, [401, 101, 101, 401, 401, 101]],
    ['auth', true, [401, 401, 101, 401, 401, 401]],
    ['none', false, [101, 101, 101, 101, 400, 101]],
    ['none', true, [101, 101, 101, 101, 400, 101]],
  ])('with %s, in production: %s, open by the access table', async (mode, production, expected) => {
    const settings: Record<string, AgentServerConfig> = {
      authNext: { authNext: { provider } },
      auth: { auth: provider },
      none: {},
    }
    const { port } = await listening(settings[mode] ?? {}, production)
    const valid = `?token=${await token()}`
    const queries = ['', valid, `?key=${KEY}`, '?key=wrong', `?key=${KEY}&key=${KEY}`, '?dev=true']
    for (const path of CHANNEL_PATHS) {
      const answers = await Promise.all(queries.map((query) => handshake(port, path + query)))
      expect([path, answers.map(({ status }) => status)]).toEqual([path, expected])
      for (const { text } of answers.filter(({ status }) => status !== 101))
        expect(JSON.parse(text)).toEqual({ success: false, error: expect.any(String) as string })
    }
  })

  it.each([
    ['/ws/nothing', 401, 404],
    ['/ws/logs/deeper', 401, 404],
    ['/ws/observabilityx', 401, 404],
    ['/wss', 401, 404],
    ['/ws/', 401, 404],
  ])('do not exist at %s', async (path, without, withToken) => {
    const { port } = await listening({ authNext: { provider } })
    expect((await handshake(port, `${path}?key=${KEY}`)).status).toBe(without)
    expect((await handshake(port, `${path}?token=${await token()}`)).status).toBe(withToken)
  })

  it('refuse pages of other sites', async () => {
    const { port } = await listening({})
    for (const path of CHANNEL_PATHS) {
      expect((await handshake(port, path, { origin: 'https://evil.example' })).status).toBe(403)
      expect((await handshake(port, path, { origin: 'http://localhost:3000' })).status).toBe(403)
      expect((await handshake(port, path, { origin: `http://127.0.0.1:${port}` })).status).toBe(101)
    }
  })

  it.each([
    ['/ws/logs?level=loud', 'level: '],
    ['/ws/logs?level=', 'level: '],
    ['/ws/logs?level=info&level=warn', 'level: Must not be repeated'],
    ['/ws/logs?q=', 'q: '],
    ['/ws/logs?q=%20', 'q: Must contain a word'],
    ['/ws/logs?traceId=7', 'traceId: Must be 32 hexadecimal digits'],
    [`/ws/logs?q=${'x'.repeat(300)}`, 'q: '],
    ['/ws/observability?agentId=a%20b', 'agentId: '],
    ['/ws/observability/x?workflowId=', 'workflowId: '],
    ['/ws/observability?workflowId=a&workflowId=b', 'workflowId: Must not be repeated'],
  ])('respond to %.40s with 400 and the problem, when the request is admitted', async (path, problem) => {
    const { port } = await listening({ authNext: { provider } })
    expect((await handshake(port, path)).status).toBe(401)
    const { status, text } = await handshake(port, `${path}&key=${KEY}`)
    expect(status).toBe(400)
    expect(JSON.parse(text)).toEqual({ success: false, error: expect.stringContaining(problem) as string })
    expect((await handshake(port, `/ws/logs?unknown=1&key=${KEY}`)).status).toBe(101)
  })

  it('are in the exported lists of routes', () => {
    for (const list of [DEFAULT_CONSOLE_ROUTES, PROTECTED_ROUTES])
      expect(list).toEqual(expect.arrayContaining(['WS /ws', 'WS /ws/logs', 'WS /ws/observability/**']))
  })
})

describe('the console channel', () => {
  it('sends hello, and stays open after invalid messages', async () => {
    const { port } = await listening({})
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`)
    const messages: Record<string, unknown>[] = []
    const received = (count: number) => until(() => messages.length >= count)
    socket.on('message', (data: Buffer) =>
      messages.push(JSON.parse(data.toString()) as Record<string, unknown>),
    )
    await received(1)
    expect(messages[0]).toMatchObject({ type: 'hello', generation: 1 })
    socket.send('not json')
    socket.send('{"type":"dance"}')
    socket.send('{"type":"subscribe","topics":[{"topic":"nonsense"},{"topic":"config","after":0}]}')
    await received(5)
    expect(messages.slice(1).map(({ type }) => type)).toEqual(['error', 'error', 'error', 'gap'])
    expect(messages[3]).toEqual({ type: 'error', error: 'Unknown topic "nonsense"' })
    // the load at the start was frame 1, which is not stored
    expect(messages[4]).toEqual({ type: 'gap', topic: 'config', from: 2 })
    expect(socket.readyState).toBe(WebSocket.OPEN)
    socket.close()
  })
})

describe('webSockets in a configuration', () => {
  it.each([
    ['/ws', 'own channels'],
    ['/ws/logs', 'own channels'],
    ['/ws/observability/traces', 'own channels'],
    ['rooms', 'start with "/"'],
    ['/rooms/*', 'no "*"'],
  ])('refuses the path %s', (path, reason) => {
    expect(() => resolveConfig({ webSockets: { [path]: () => undefined } }, 'agentserver.config.ts')).toThrow(
      reason,
    )
  })

  it('refuses a handler that is not a function', () => {
    expect(() => resolveConfig({ webSockets: { '/a': 'x' } }, 'agentserver.config.ts')).toThrow(
      'must be a function',
    )
  })
})
