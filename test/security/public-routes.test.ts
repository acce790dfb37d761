import type { AgentServerConfig } from 'agentserver'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { createDeferred } from '../../src/lib/async/wake-up.ts'
import { GuardedServer, bearer } from '../support/server/guarded-server.ts'

const answered: (() => void)[] = []
/** Ends the time limits of the providers' answers. */
afterEach(() => answered.splice(0).forEach((answer) => answer()))

/** A server whose provider answers when the test says so. */
function serve(config: AgentServerConfig = {}) {
  const answer = createDeferred<{ id: string } | null>()
  answered.push(() => answer.resolve(null))
  const provider = { type: 'remote', verifyToken: () => answer.promise }
  const server = new GuardedServer({
    authNext: { provider, publicRoutes: ['GET /open', 'POST /workflows/:id/execute', 'WS /rooms/*'] },
    configureApp: (app) => {
      app.get('/open', async (c) => {
        if (c.req.query('who') === undefined) return c.json({ user: c.get('user') ?? null })
        return c.json({ user: (await c.get('identify')()) ?? null })
      })
    },
    ...config,
  })
  onTestFinished(() => server.close())
  return { server, answer }
}

it('a public route of your own responds while the provider hangs, and identifies its user when it asks', async () => {
  const { server, answer } = serve()
  const open = await server.request('/open', { headers: bearer('a.b.c') })
  expect(await open.json()).toEqual({ user: null })
  const asking = server.request('/open?who', { headers: bearer('a.b.c') })
  answer.resolve({ id: 'ada' })
  expect(await (await asking).json()).toEqual({ user: { id: 'ada' } })
  expect(await (await server.request('/open?who')).json()).toEqual({ user: null })
})

it('a public workflow runs without a user while the provider hangs', async () => {
  const { server } = serve()
  expect(await server.seenUser(bearer('a.b.c'))).toEqual({ user: null, userId: null })
})

it('a public WebSocket opens while the provider hangs, and identifies its user when it asks', async () => {
  const { server, answer } = serve({
    webSockets: {
      '/rooms/:room': (socket, { user, identify }) => {
        socket.send(JSON.stringify(user ?? null))
        void identify().then((found) => socket.send(JSON.stringify(found ?? null)))
      },
    },
  })
  const { url } = await server.listen()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/rooms/a?token=a.b.c`)
  const messages: unknown[] = []
  const next = () => new Promise((resolve) => socket.once('message', resolve))
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())))
  await next()
  answer.resolve({ id: 'ada' })
  await next()
  expect(messages).toEqual([null, { id: 'ada' }])
  socket.close()
})
