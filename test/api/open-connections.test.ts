import { setTimeout } from 'node:timers/promises'
import { jwtAuth } from 'agentserver'
import type { AgentServerConfig, AuthNext } from 'agentserver'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { SocketReader } from '../support/clients/socket-reader.ts'
import { reloadedServer } from '../support/server/reloaded-server.ts'
import { SECRET, bearer, tokenOf } from '../support/server/guarded-server.ts'
import { Gate, sampleWorkflows } from '../support/server/sample-workflows.ts'

const KEY = 'console-key-0f3a9c'
const OTHER_SECRET = 'another secret of more than thirty-two bytes'

let gate: Gate

const guarded = (secret = SECRET): AgentServerConfig => ({
  authNext: { provider: jwtAuth({ secret }) },
  workflows: sampleWorkflows(gate),
  webSockets: { '/rooms/:room': (socket) => void socket.on('message', () => socket.send('heard')) },
  configureApp: (app) => {
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
    app.get(
      '/ticks',
      () => new Response(new ReadableStream({ start: (body) => body.enqueue(TICK) }), { headers }),
    )
    app.get('/export', () => new Response(ReadableStream.from(slowBody())))
  },
})

async function* slowBody() {
  yield TICK
  await setTimeout(30)
  yield TICK
}

const TICK = new TextEncoder().encode('tick')

/** A config whose tokens end at this time, whatever their `exp`. */
function ending(expiresAt: number): AgentServerConfig {
  const provider = { ...jwtAuth({ secret: SECRET }), expiresAt: () => expiresAt }
  return { ...guarded(), authNext: { provider } }
}

async function serve(config: AgentServerConfig) {
  vi.stubEnv('SERVICE_CONSOLE_ACCESS_KEY', KEY)
  const { url, put, printed } = await reloadedServer(config)
  onTestFinished(() => gate.remove())
  const { origin } = new URL(url)
  return { origin, put, printed }
}

/** An open socket; `closed` resolves to the code that closes it. */
async function openSocket(origin: string, path: string) {
  const socket = new WebSocket(origin.replace('http', 'ws') + path)
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return { socket, closed }
}

/** A stream of an execution that is running, of which the first event was read. `rest` resolves at its end. */
async function openStream(origin: string, token: string) {
  const response = await fetch(`${origin}/workflows/hold/stream`, {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json' },
    body: '{"input":{}}',
  })
  expect(response.status).toBe(200)
  return reading(response)
}

/** Starts an execution that runs until the end of the test. */
async function startHeld(origin: string, token: string): Promise<string> {
  const response = await fetch(`${origin}/workflows/hold/execute`, {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json', prefer: 'respond-async' },
    body: '{"input":{}}',
  })
  return ((await response.json()) as { data: { executionId: string } }).data.executionId
}

async function reading(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  const rest = async () => {
    while (!(await reader.read()).done);
    return 'ended'
  }
  return { rest: rest(), leave: () => reader.cancel() }
}

beforeEach(() => void (gate = new Gate()))
afterEach(() => void vi.unstubAllEnvs())

describe('at the expiry of its token', () => {
  it('a WebSocket is closed with 4401, and an event stream ends', async () => {
    const { origin, put } = await serve(guarded())
    const token = await tokenOf()
    const { closed } = await openSocket(origin, `/rooms/a?token=${token}`)
    const { rest } = await openStream(origin, token)
    await put(ending(Date.now() + 20))
    expect(await Promise.all([closed, rest])).toEqual([4401, 'ended'])
  })

  it('a socket that was opened with an expired permission is closed at once', async () => {
    const { origin } = await serve(ending(Date.now() - 1))
    const { closed } = await openSocket(origin, `/rooms/a?token=${await tokenOf()}`)
    expect(await closed).toBe(4401)
  })

  it('another body of a route of your own is sent to its end', async () => {
    const { origin } = await serve(ending(Date.now() - 1))
    const response = await fetch(`${origin}/export`, { headers: bearer(await tokenOf()) })
    expect(await response.text()).toBe('ticktick')
  })

  it.each([
    ['ends', { id: 'ada' }, 'ended'],
    ['stays open when the provider refuses the token', null, 'open'],
  ])('a stream on a public route with a remote provider %s', async (_, user, expected) => {
    const verifyToken = () => setTimeout(10, user)
    const provider = { type: 'remote', verifyToken, expiresAt: () => Date.now() }
    const { origin } = await serve({ ...guarded(), authNext: { provider, publicRoutes: ['/ticks'] } })
    const { rest, leave } = await reading(await fetch(`${origin}/ticks`, { headers: bearer('opaque') }))
    expect(await Promise.race([rest, setTimeout(expected === 'open' ? 100 : 5000, 'open')])).toBe(expected)
    await leave()
  })

  it.each(['/ticks', '/workflows/hold/stream'])(
    'an event stream whose expiry the provider fails to find is a 500 with a log record: %s',
    async (path) => {
      const expiresAt = () => {
        throw new Error('no such session')
      }
      const provider = { ...jwtAuth({ secret: SECRET }), expiresAt }
      const { origin, printed } = await serve({ ...guarded(), authNext: { provider } })
      const headers = { ...bearer(await tokenOf()), 'content-type': 'application/json' }
      const sent = path === '/ticks' ? {} : { method: 'POST', body: '{"input":{}}' }
      const response = await fetch(origin + path, { headers, ...sent })
      expect([response.status, await response.text()]).toEqual([
        500,
        '{"success":false,"error":"Internal server error"}',
      ])
      expect(JSON.stringify(printed)).toContain('no such session')
    },
  )
})

describe('when a reload changes the gate', () => {
  it('sockets and streams of users end if their token is not valid any more', async () => {
    const { origin, put } = await serve(guarded())
    const token = await tokenOf()
    const { closed } = await openSocket(origin, `/rooms/a?token=${token}`)
    const { rest } = await openStream(origin, token)
    const own = await reading(await fetch(`${origin}/ticks`, { headers: bearer(token) }))
    await put(guarded(OTHER_SECRET))
    expect(await Promise.all([closed, rest, own.rest])).toEqual([4401, 'ended', 'ended'])
  })

  it('the channels of the console are closed if the key was replaced', async () => {
    const { origin, put } = await serve(guarded())
    const { closed } = await openSocket(origin, `/ws?key=${KEY}`)
    vi.stubEnv('SERVICE_CONSOLE_ACCESS_KEY', 'a new key')
    await put(guarded())
    expect(await closed).toBe(4401)
  })

  it('connections without credentials end when authentication is added', async () => {
    const { authNext, ...open } = guarded()
    const { origin, put } = await serve(open)
    const { closed } = await openSocket(origin, '/ws/logs')
    const { rest } = await openStream(origin, 'none')
    await put({ ...open, authNext })
    expect(await Promise.all([closed, rest])).toEqual([4401, 'ended'])
  })

  it('those that the new rules admit stay open', async () => {
    const { origin, put } = await serve(guarded())
    const token = await tokenOf()
    const { socket, closed } = await openSocket(origin, `/rooms/a?token=${token}`)
    const stream = await openStream(origin, token)
    await put(guarded())
    const heard = new Promise((resolve) => socket.once('message', (data: Buffer) => resolve(String(data))))
    socket.send('still here?')
    expect(await heard).toBe('heard')
    expect(await Promise.race([closed, stream.rest, Promise.resolve('open')])).toBe('open')
    socket.close()
    await stream.leave()
  })

  it.each<[string, Partial<AuthNext>]>([
    ['ownership', { ownership: 'strict' }],
    ['authorize', { authorize: () => false }],
  ])('the console channel of a user is closed if the new %s closes a subscribed topic', async (_, rules) => {
    const open = guarded()
    const authNext = { ...(open.authNext as AuthNext), consoleRoutes: [] }
    const { origin, put } = await serve({ ...open, authNext: { ...authNext, authorize: () => true } })
    const topic = `execution:${await startHeld(origin, await tokenOf({ sub: 'bob' }))}`
    const token = await tokenOf()
    const [limited, other, operator] = [
      await SocketReader.open(origin, `/ws?token=${token}`),
      await SocketReader.open(origin, `/ws?token=${token}`),
      await SocketReader.open(origin, '/ws?dev=true'),
    ]
    limited.subscribe(topic)
    other.subscribe('config')
    operator.subscribe(topic)
    for (const reader of [limited, other, operator]) await reader.settled()
    await put({ ...open, authNext: { ...authNext, ...rules } })
    expect(await limited.closed()).toBe(4401)
    for (const reader of [other, operator]) await reader.settled()
    other.subscribe(topic)
    expect((await other.received(2)).at(-1)).toMatchObject({
      error: expect.stringContaining('Execution not found') as string,
    })
    other.close()
    operator.close()
  })

  it('the stream of another user’s execution ends, and that of its owner stays', async () => {
    const open = guarded()
    const { origin, put } = await serve({
      ...open,
      authNext: { ...(open.authNext as AuthNext), authorize: () => true },
    })
    const [ada, bob] = [await tokenOf({ sub: 'ada' }), await tokenOf({ sub: 'bob' })]
    const executionId = await startHeld(origin, ada)
    const follow = async (token: string) =>
      reading(
        await fetch(`${origin}/workflows/hold/executions/${executionId}/stream`, {
          headers: bearer(token),
        }),
      )
    const [own, other] = [await follow(ada), await follow(bob)]
    await put(guarded())
    expect(await other.rest).toBe('ended')
    expect(await Promise.race([own.rest, Promise.resolve('open')])).toBe('open')
    await own.leave()
  })
})
