import { andWaitForEvent, createTool, createWorkflow, defineEvent, sendEvent } from 'agentserver'
import type { AgentServerConfig, AuthNext } from 'agentserver'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { resolveConfig } from '../../src/config/config.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const paid = createWorkflow({ id: 'paid', inputSchema: z.object({ order: z.string() }) }).andWaitForEvent({
  id: 'wait',
  event: 'payment',
  key: ({ data }) => data.order,
  schema: z.object({ cents: z.number() }),
  timeout: '7d',
})
const plain = createWorkflow({ id: 'plain' }).andWaitForEvent({ id: 'wait', event: 'ping', from: 'users' })
const closed = createWorkflow({ id: 'closed', resumableBy: 'owner' }).andWaitForEvent({
  id: 'wait',
  event: 'ping',
  from: 'users',
})
const notifying = createWorkflow({ id: 'notifying' }).andThen({
  id: 'send',
  execute: () => sendEvent({ name: 'ping', data: 'from a step' }),
})
const workflows = [paid, plain, closed, notifying]

describe('events', () => {
  const servers: TestServer[] = []
  const serve = (config: AgentServerConfig = {}) => {
    const server = new TestServer({ workflows, ...config })
    servers.push(server)
    return server
  }
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })

  const send = (server: TestServer, event: object, headers?: Readonly<Record<string, string>>) =>
    server.post('/events', event, headers)
  const state = (server: TestServer, workflow: string, id: string) =>
    dataOf(server.request(`/workflows/${workflow}/executions/${id}`))

  it('POST /events resumes the executions that wait for the name and the key', async () => {
    const server = serve()
    const { executionId, suspension } = await server.execute('paid', { order: 'A' })
    expect(suspension).toMatchObject({
      reason: 'waiting for event',
      event: 'payment',
      key: 'A',
      wakeAt: expect.stringMatching(/Z$/),
    })
    expect(await dataOf(server.request(`/workflows/paid/executions/${executionId}/state`))).toMatchObject({
      suspension: { event: 'payment', key: 'A' },
    })
    expect(await dataOf(send(server, { name: 'payment', key: 'B', data: { cents: 1 } }))).toMatchObject({
      resumed: [],
    })
    const sent = await dataOf(send(server, { name: 'payment', key: 'A', data: { cents: 5 }, id: 'e1' }))
    expect(sent).toEqual({ eventId: 'e1', resumed: [executionId], started: [], cancelled: [] })
    await expect
      .poll(() => state(server, 'paid', executionId))
      .toMatchObject({ status: 'completed', output: { cents: 5 } })
  })

  it('data that does not match the schema is refused with 400, and the execution keeps waiting', async () => {
    const server = serve()
    const { executionId } = await server.execute('paid', { order: 'A' })
    const refused = send(server, { name: 'payment', key: 'A', data: { cents: 'five' }, id: 'e1' })
    expect(await refusalOf(refused, 400)).toContain('data.cents')
    expect(await state(server, 'paid', executionId)).toMatchObject({ status: 'suspended' })
    const sent = await dataOf(send(server, { name: 'payment', key: 'A', data: { cents: 5 }, id: 'e1' }))
    expect(sent).toMatchObject({ resumed: [executionId] })
  })

  it.each([
    ['no name', {}],
    ['a name that is no id', { name: 'no id' }],
    ['a key that is no text', { name: 'ping', key: 7 }],
    ['an id that is none', { name: 'ping', id: '' }],
  ])('%s is refused with 400', async (_, event) => {
    expect((await send(serve(), event)).status).toBe(400)
  })

  it('sendEvent works in a route, a tool and a step, and fails outside of a server', async () => {
    const ping = createTool({
      name: 'ping',
      description: 'Sends an event',
      inputSchema: z.object({}),
      execute: () => sendEvent({ name: 'ping', data: 'from a tool' }),
    })
    const server = serve({
      tools: [ping],
      configureApp: (app) => {
        app.post('/ping', async (c) =>
          c.json({ success: true, data: await sendEvent({ name: 'ping', data: 'from a route' }) }),
        )
      },
    })
    const calls = {
      'from a route': () => server.post('/ping'),
      'from a tool': () => server.post('/tools/ping/execute', { input: {} }),
      'from a step': () => server.post('/workflows/notifying/execute', { input: {} }),
    }
    for (const [data, call] of Object.entries(calls)) {
      const executionId = `of-${data.replaceAll(' ', '-')}`
      await server.post('/workflows/plain/execute', { input: {}, options: { executionId } })
      expect((await call()).status).toBe(200)
      // it may have taken an event that was sent before
      await expect.poll(() => state(server, 'plain', executionId)).toMatchObject({ status: 'completed' })
    }
    await server.close()
    await expect(sendEvent({ name: 'ping' })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('createClient()'),
    })
  })

  it('sendEvent refuses a name that is no id', async () => {
    const server = serve({
      configureApp: (app) => {
        app.post('/ping', async (c) =>
          c.text(await sendEvent({ name: 'no id' }).then(String, (error: Error) => error.message)),
        )
      },
    })
    expect(await (await server.post('/ping')).text()).toMatch(/^event\.name: Must be letters/)
  })

  describe('that start workflows', () => {
    const order = createWorkflow({
      id: 'order',
      inputSchema: z.object({ cents: z.number() }),
      on: [{ event: 'order.created' }],
    }).andThen({ id: 'a', execute: ({ userId }) => userId ?? null })
    const relaying = createWorkflow({
      id: 'relaying',
      run: async ({ step }) => step.sendEvent('send', { name: 'order.created', data: { cents: 1 } }),
    })

    it('POST /events starts executions with its data, and GET /observability/events has them and the misfits', async () => {
      const server = serve({ workflows: [order] })
      const sent = await dataOf(send(server, { name: 'order.created', data: { cents: 5 }, id: 'e1' }))
      expect(sent).toEqual({ eventId: 'e1', resumed: [], started: ['code:order:e1'], cancelled: [] })
      await expect
        .poll(() => state(server, 'order', 'code:order:e1'))
        .toMatchObject({ status: 'completed', input: { cents: 5 } })
      const misfit = { name: 'order.created', data: { cents: 'five' }, id: 'e2' }
      expect(await dataOf(send(server, misfit))).toMatchObject({ started: [] })
      expect(await dataOf(server.request('/observability/events'))).toMatchObject([
        {
          id: 'e2',
          takenBy: [],
          misfits: [{ workflowId: 'order', reason: expect.stringContaining('cents') }],
        },
        { id: 'e1', takenBy: ['code:order:e1'] },
      ])
      const metrics = await (await server.request('/observability/metrics')).text()
      expect(metrics).toContain('agentserver_event_misfits_total{workflow="order"} 1')
    })

    it('data of a declared event is validated by its schema where it is sent, and parsed where it is received', async () => {
      const schema = z.object({ cents: z.string().transform(Number) })
      const billed = defineEvent({ name: 'billed', schema })
      const waiting = createWorkflow({
        id: 'waiting',
        run: async ({ step }) => step.waitForEvent('w', { event: billed, key: 'A' }),
      })
      const sending = createWorkflow({
        id: 'sending',
        inputSchema: z.object({ cents: z.string() }),
        run: async ({ input, step }) => step.sendEvent('send', billed, input, { key: 'A' }),
      })
      const strict = createWorkflow({ id: 'strict', on: [{ event: billed }] }).andThen({
        id: 'a',
        execute: ({ data }) => data,
      })
      const server = serve({
        workflows: [waiting, sending, strict],
        configureApp: (app) => {
          app.post('/bill', async (c) => {
            const { data, key } = await c.req.json<{ data: { cents: string }; key: string }>()
            return c.json({ success: true, data: await sendEvent(billed, data, { key }) })
          })
        },
      })
      const { executionId } = await server.execute('waiting')
      const wrong = server.post('/bill', { data: { cents: 5 }, key: 'A' })
      expect(await refusalOf(wrong, 400)).toContain(
        'The data of the event "billed" does not match its schema: data.cents',
      )
      expect((await server.execute('sending', { cents: '7' })).result).toBe(2)
      await expect
        .poll(() => state(server, 'waiting', executionId))
        .toMatchObject({ status: 'completed', output: { cents: 7 } })
      expect(await dataOf(send(server, { name: 'billed', data: { cents: 5 } }))).toMatchObject({
        started: [],
      })
      const [newest] = await dataOf<{ misfits: unknown }[]>(server.request('/observability/events'))
      expect(newest?.misfits).toEqual([
        { workflowId: 'strict', reason: expect.stringContaining('data.cents') },
      ])
    })

    it('a user cancels with an event the own executions, and no others', async () => {
      const parcel = createWorkflow({
        id: 'parcel',
        cancelOn: [{ event: 'order.cancelled', key: 'A' }],
        run: async ({ step }) => step.suspend('ask'),
      })
      const as = (user: string) => ({ authorization: `Bearer ${user}` })
      const server = serve({
        workflows: [parcel],
        authNext: { provider: { type: 'test', verifyToken: (token) => ({ id: token }) } },
      })
      const start = (user: string) =>
        dataOf<{ executionId: string }>(server.post('/workflows/parcel/execute', { input: {} }, as(user)))
      const [anns] = await Promise.all([start('ann'), start('bob')])
      const cancelled = { name: 'order.cancelled', key: 'A' }
      expect(await dataOf(send(server, cancelled, as('ann')))).toMatchObject({
        cancelled: [anns?.executionId],
      })
      expect(await dataOf(send(server, cancelled, as('eve')))).toMatchObject({ cancelled: [] })
    })

    it('step.sendEvent resolves to how many executions its event has resumed and started', async () => {
      const waiting = createWorkflow({ id: 'waiting' }).andWaitForEvent({ id: 'w', event: 'order.created' })
      const server = serve({ workflows: [order, relaying, waiting] })
      await server.execute('waiting')
      expect((await server.execute('relaying')).result).toBe(2)
    })

    it('a user starts with an event what the user may start otherwise, and owns the execution', async () => {
      const closed = createWorkflow({
        id: 'closed',
        startedBy: 'operators',
        on: [{ event: 'order.created' }, { event: 'closed' }],
      }).andThen({ id: 'a', execute: () => null })
      const child = createWorkflow({ id: 'child', on: [{ event: 'inner' }] }).andThen({
        id: 'a',
        execute: () => null,
      })
      const parent = createWorkflow({ id: 'parent' }).andWorkflow({ id: 'c', workflow: child })
      const as = (user: string) => ({ authorization: `Bearer ${user}` })
      const server = serve({
        workflows: [order, closed, parent],
        authNext: {
          provider: { type: 'test', verifyToken: (token) => ({ id: token }) },
          authorize: ({ user, action, resource }) =>
            !(user?.id === 'eve' && action === 'execute' && resource.kind === 'workflow'),
        },
      })
      const created = { name: 'order.created', data: { cents: 5 } }
      const { started } = await dataOf<{ started: string[] }>(send(server, created, as('ann')))
      expect(started).toEqual([expect.stringMatching(/^code:order:/)])
      const record = () =>
        dataOf(server.request(`/workflows/order/executions/${started[0]}`, { headers: as('ann') }))
      await expect.poll(record).toMatchObject({ ownerId: 'ann', startedBy: 'ann', output: 'ann' })
      expect(await dataOf(send(server, created, as('eve')))).toMatchObject({ started: [] })
      for (const name of ['closed', 'inner', 'unknown'])
        expect((await send(server, { name }, as('ann'))).status).toBe(403)
    })
  })

  describe('of users', () => {
    const as = (user: string) => ({ authorization: `Bearer ${user}` })
    const withAuth = (authNext: Partial<AuthNext> = {}) =>
      serve({
        authNext: { provider: { type: 'test', verifyToken: (token) => ({ id: token }) }, ...authNext },
      })
    const waiting = async (server: TestServer, workflow: string, user: string) => {
      const body = { input: {} }
      const { executionId } = await dataOf<{ executionId: string }>(
        server.post(`/workflows/${workflow}/execute`, body, as(user)),
      )
      return executionId
    }

    it('resume the executions that the user may resume: those of others too, unless resumableBy is owner', async () => {
      const server = withAuth()
      const open = await waiting(server, 'plain', 'ann')
      const owned = await waiting(server, 'closed', 'ann')
      expect((await send(server, { name: 'ping' })).status).toBe(401)
      expect(await dataOf(send(server, { name: 'ping' }, as('bob')))).toMatchObject({ resumed: [open] })
      expect(await dataOf(send(server, { name: 'ping' }, as('ann')))).toMatchObject({ resumed: [owned] })
    })

    it('resume only executions of the user with ownership strict, also when the event came first', async () => {
      const server = withAuth({ ownership: 'strict' })
      const first = await waiting(server, 'plain', 'ann')
      expect(await dataOf(send(server, { name: 'ping' }, as('bob')))).toMatchObject({ resumed: [] })
      const second = await waiting(server, 'plain', 'ann')
      expect(await dataOf(send(server, { name: 'ping' }, as('ann')))).toMatchObject({
        resumed: [first, second].toSorted(),
      })
    })

    it('are decided on by authorize with the action event: for the event, and for each execution', async () => {
      const asked: string[] = []
      const server = withAuth({
        authorize: ({ user, action, resource }) => {
          asked.push(`${user?.id} ${action} ${resource.kind}`)
          if (action !== 'event') return true
          return resource.kind === 'event' ? user?.id !== 'eve' : resource.ownerId === user?.id
        },
      })
      const anns = await waiting(server, 'plain', 'ann')
      expect((await send(server, { name: 'ping' }, as('eve'))).status).toBe(403)
      expect(await dataOf(send(server, { name: 'ping' }, as('bob')))).toMatchObject({ resumed: [] })
      expect(await dataOf(send(server, { name: 'ping' }, as('ann')))).toMatchObject({ resumed: [anns] })
      expect(asked).toContain('eve event event')
      expect(asked).toContain('bob event execution')
    })
  })

  it('a wait for an event whose name is no id, and an invalid time, are errors of the configuration', () => {
    const wrong = createWorkflow(
      { id: 'w' },
      andWaitForEvent({ id: 'wait', event: 'no id', timeout: 'soon' as '1h' }),
    )
    expect(() => resolveConfig({ workflows: [wrong] }, 'config.ts')).toThrow(
      /event must be letters.*timeout must be milliseconds/s,
    )
    const config = { retention: { events: '-1h' } }
    expect(() => resolveConfig(config, 'config.ts')).toThrow(/retention\.events: Must be milliseconds/)
  })
})
