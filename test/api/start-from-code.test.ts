import { once } from 'node:events'
import { andThen, createAgent, createTool, createWorkflow, resumeExecution, sendEvent } from 'agentserver'
import type { AgentServerConfig, Step } from 'agentserver'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { createDeferred } from '../../src/lib/async/wake-up.ts'
import { scriptedModel } from '../../src/testing/index.ts'
import { TempProject } from '../support/project/temp-project.ts'
import { reloadedServer } from '../support/server/reloaded-server.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const greeting = createWorkflow({ id: 'greeting', inputSchema: z.object({ name: z.string() }) }).andThen({
  id: 'greet',
  execute: ({ data, userId, user, conversationId, context }) => ({
    text: `Hello ${data.name}`,
    userId: userId ?? null,
    user: user ?? null,
    conversationId: conversationId ?? null,
    context,
  }),
})
const approval = createWorkflow({ id: 'approval' }).andThen({
  id: 'approve',
  resumeSchema: z.object({ ok: z.boolean() }),
  execute: ({ suspend, resumeData }) => resumeData ?? suspend('Waits for approval'),
})
const failing = createWorkflow({ id: 'failing' }).andThen({
  id: 'break',
  execute: (): string => {
    throw new TypeError('out of paper')
  },
})
const workflows = [greeting, approval, failing]
const HELLO = { text: 'Hello Ada' }

describe('start, execute and resumeExecution in code', () => {
  const servers: TestServer[] = []
  const serve = (config: AgentServerConfig = {}) => {
    const server = new TestServer({ workflows, ...config })
    servers.push(server)
    return server
  }
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })
  const route = (handle: () => Promise<unknown>): AgentServerConfig => ({
    configureApp: (app) => {
      app.post('/call', async (c) => c.json({ success: true, data: await handle() }))
    },
  })

  it('start in a route: the execution is stored when it resolves, and completes without its caller', async () => {
    const server = serve(route(async () => (await greeting.start({ name: 'Ada' })).executionId))
    const id = await dataOf<string>(server.post('/call'))
    await expect
      .poll(async () => dataOf(server.request(`/workflows/greeting/executions/${id}`)))
      .toMatchObject({ status: 'completed', output: HELLO })
  })

  it('a result is typed and complete: completed, suspended or failed, without an exception', async () => {
    const server = serve(
      route(async () => {
        const started = await greeting.start({ name: 'Ada' }, { executionId: 'mine', conversationId: 'c' })
        const { result } = await started.result()
        const text: string | undefined = result?.text
        return [text, result?.conversationId, await approval.execute({}), await failing.execute({})]
      }),
    )
    expect(await dataOf(server.post('/call'))).toMatchObject([
      'Hello Ada',
      'c',
      { status: 'suspended', result: null, suspension: { reason: 'Waits for approval', stepId: 'approve' } },
      {
        status: 'error',
        result: null,
        error: { name: 'TypeError', message: 'out of paper', stepId: 'break' },
      },
    ])
  })

  it('calls name the argument that is of another type', async () => {
    const refusal = (call: Promise<unknown>) =>
      call.catch(({ code, message }: { code: string; message: string }) => `${code} ${message}`)
    const any = (value: unknown) => value as string
    const server = serve(
      route(async () => [
        await refusal(resumeExecution(any({ executionId: 'x' }), 'x')),
        await refusal(resumeExecution('approval', any({ id: 'x' }))),
        await refusal(resumeExecution('approval', 'x', {}, { stepId: any(7) })),
        await refusal(sendEvent(any(undefined) as never)),
        await refusal(greeting.start({ name: 'Ada' }, { executionId: any({}) })),
        await refusal(greeting.execute({ name: 'Ada' }, any(null) as never)),
      ]),
    )
    const texts = await dataOf<string[]>(server.post('/call'))
    for (const [index, name] of [
      'workflowId',
      'executionId',
      'options.stepId',
      'event',
      'options.executionId',
      'options',
    ].entries())
      expect(texts[index]).toMatch(new RegExp(`^invalid_input ${name}: `))
  })

  it('start with ifExists "same" returns the execution of an equal call, and refuses what else has the id', async () => {
    const conflict = (call: Promise<unknown>) =>
      call.catch(({ code, message }: { code: string; message: string }) => [code, message])
    const same = (name: string, options: { executionId?: string; userId?: string } = {}) =>
      greeting.start({ name }, { executionId: 'code:greeting:1', ifExists: 'same', ...options })
    const server = serve(
      route(async () => {
        const [first, again] = await Promise.all([same('Ada'), same('Ada')])
        const later = await same('Ada')
        return [
          [first.executionId, again.executionId, (await later.result()).result?.text],
          await conflict(same('Bob')),
          await conflict(same('Ada', { userId: 'bob' })),
          await conflict(approval.start({}, { executionId: 'code:greeting:1', ifExists: 'same' })),
          await conflict(same('Ada', { executionId: 'taken' })),
          await conflict(greeting.start({ name: 'Ada' }, { executionId: 'code:greeting:1' })),
          await conflict(greeting.start({ name: 'Ada' }, { ifExists: 'same' })),
        ]
      }),
    )
    await server.post('/workflows/greeting/execute', {
      input: { name: 'Ada' },
      options: { executionId: 'taken' },
    })
    const message = (id: string, difference: string) =>
      `Execution ${id} was not made by this call: it has another ${difference}`
    expect(await dataOf(server.post('/call'))).toEqual([
      ['code:greeting:1', 'code:greeting:1', 'Hello Ada'],
      ['conflict', message('code:greeting:1', 'input')],
      ['conflict', message('code:greeting:1', 'owner')],
      ['conflict', message('code:greeting:1', 'workflow')],
      ['conflict', message('taken', 'origin')],
      ['conflict', 'Execution id already used: code:greeting:1'],
      ['invalid_input', 'options.executionId: Required'],
    ])
    const metrics = await (await server.request('/observability/metrics')).text()
    expect(metrics).toContain('agentserver_execution_id_conflicts_total{workflow="greeting"} 3')
  })

  it('ids of schedules and code are refused for callers of the API, on every delivery that takes an id', async () => {
    const server = serve()
    for (const executionId of ['schedule:daily:2026-11-27T09:00:00.000Z', 'code:payment:1'])
      for (const delivery of ['execute', 'run', 'stream']) {
        const body = { input: { name: 'Ada' }, options: { executionId } }
        const response = await server.post(`/workflows/greeting/${delivery}`, body)
        expect([response.status, await response.json()]).toEqual([
          400,
          {
            success: false,
            error:
              'options.executionId: ids that begin with "schedule:" or "code:" are reserved for schedules and code',
          },
        ])
      }
    expect(await dataOf(server.request('/workflows/executions'))).toEqual([])
  })

  it('resumeExecution continues a suspended execution, and says why it can not', async () => {
    const refusal = async (call: Promise<unknown>) => call.catch((error: { code: string }) => error.code)
    const server = serve(
      route(async () => {
        const { executionId } = await approval.execute({})
        const resume = (id: string, data: unknown, stepId?: string) =>
          refusal(resumeExecution('approval', id, data, { stepId }))
        return [
          await resume(executionId, { ok: 'yes' }),
          await resume(executionId, { ok: true }, 'pay'),
          await resume('unknown', { ok: true }),
          await resumeExecution('approval', executionId, { ok: true }, { stepId: 'approve' }),
          await resume(executionId, { ok: true }),
        ]
      }),
    )
    expect(await dataOf(server.post('/call'))).toMatchObject([
      'invalid_input',
      'invalid_input',
      'not_found',
      { status: 'completed', result: { ok: true } },
      'not_resumable',
    ])
  })

  it('a step in a round of a loop is resumed by its id, in code and over HTTP', async () => {
    const ask = andThen({
      id: 'ask',
      resumeSchema: z.object({ ok: z.boolean() }),
      execute: ({ suspend, resumeData, index }) => (resumeData ? index : suspend('Asks')),
    })
    const loop = createWorkflow({ id: 'loop' }).andDoUntil({
      id: 'rounds',
      step: ask as unknown as Step<Record<string, unknown>, Record<string, unknown>, Record<string, unknown>>,
      condition: ({ data }) => Number(data) === 1,
    })
    const server = serve({ workflows: [loop] })
    const { executionId, suspension } = await server.execute('loop')
    expect(suspension?.stepId).toBe('rounds[0]')
    const body = { resumeData: { ok: true }, options: { stepId: 'rounds[0]' } }
    const path = `/workflows/loop/executions/${executionId}/resume`
    expect(await dataOf(server.post(path, body))).toMatchObject({ suspension: { stepId: 'rounds[1]' } })
    expect(await resumeExecution('loop', executionId, { ok: true }, { stepId: 'rounds[1]' })).toMatchObject({
      status: 'completed',
      result: 1,
    })
  })

  it.each<[string, () => Promise<unknown>, string, RegExp]>([
    ['an id in use', () => greeting.start({ name: 'A' }, { executionId: 'twice' }), 'conflict', /twice/],
    ['invalid input', () => greeting.start({ name: 1 as never }), 'invalid_input', /input\.name/],
    [
      'an invalid id',
      () => greeting.start({ name: 'A' }, { executionId: 'a b' }),
      'invalid_input',
      /executionId/,
    ],
    ['an unknown workflow', () => createWorkflow({ id: 'none' }).start({}), 'not_found', /none/],
  ])('start with %s is refused', async (_, start, code, message) => {
    const server = serve(
      route(() =>
        start().catch((error: Error & { code: string }) => ({ code: error.code, message: error.message })),
      ),
    )
    await server.execute('greeting', { name: 'A' }, { executionId: 'twice' })
    expect(await dataOf(server.post('/call'))).toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    })
  })

  it('an execution belongs to the user that start names, and to nobody without one, whoever the caller is', async () => {
    const authNext = {
      provider: { type: 'test', verifyToken: (token: string) => ({ id: token, role: 'admin' }) },
    }
    const start = async (options: object) => {
      const { executionId } = await approval.execute({}, options)
      return [executionId, (await greeting.execute({ name: 'Ada' }, options)).result]
    }
    const server = serve({
      ...route(async () => [await start({}), await start({ userId: 'grace' })]),
      authNext,
    })
    const as = (token: string) => ({ authorization: `Bearer ${token}` })
    const started = await dataOf<[string, unknown][]>(server.post('/call', {}, as('ada')))
    expect(started.map(([, result]) => result)).toMatchObject([
      { userId: null, user: null },
      { userId: 'grace', user: null },
    ])
    const cancel = async (index: number, token: string) => {
      const path = `/workflows/approval/executions/${started[index]?.[0] ?? ''}/cancel`
      return (await server.post(path, {}, as(token))).status
    }
    expect([await cancel(1, 'ada'), await cancel(1, 'grace'), await cancel(0, 'ada')]).toEqual([
      404, 200, 200,
    ])
  })

  it('a step starts an execution of its own: it has neither the user nor the context of the step', async () => {
    const outer = createWorkflow({ id: 'outer' }).andThen({
      id: 'start',
      execute: ({ executionId }) =>
        greeting.execute({ name: 'Ada' }, { executionId: `${executionId}:greeting` }),
    })
    const server = serve({ workflows: [...workflows, outer] })
    const { result, executionId } = await server.execute(
      'outer',
      {},
      { userId: 'ada', context: { secret: 1 } },
    )
    expect(result).toMatchObject({
      executionId: `${executionId}:greeting`,
      result: { ...HELLO, userId: null, context: {} },
    })
  })

  it('a tool, an agent hook, and a timer of the configuration start executions', async () => {
    const fromTimer = createDeferred<unknown>()
    const fromHook = createDeferred<unknown>()
    const greet = createTool({
      name: 'greet',
      description: 'Greets',
      inputSchema: z.object({}),
      execute: async () => (await greeting.execute({ name: 'Ada' })).result?.text,
    })
    const model = scriptedModel([{ toolCalls: [{ toolName: 'greet', input: {} }] }, 'Done'])
    const agent = createAgent({
      id: 'clerk',
      name: 'Clerk',
      instructions: 'Greet',
      model,
      tools: [greet],
      hooks: {
        onEnd: async () => fromHook.resolve((await greeting.execute({ name: 'Grace' })).result?.text),
      },
    })
    const server = serve({
      agents: [agent],
      configureApp: () => {
        setTimeout(() => fromTimer.resolve(greeting.execute({ name: 'Tim' })), 50)
      },
    })
    const { toolResults } = await dataOf<{ toolResults: unknown }>(
      server.post('/agents/clerk/text', { input: 'Hi' }),
    )
    expect(toolResults).toMatchObject([{ output: 'Hello Ada' }])
    expect(await fromHook.promise).toBe('Hello Grace')
    expect(await fromTimer.promise).toMatchObject({ result: { text: 'Hello Tim' } })
  })

  it('of several servers in the process, each runs what its own code starts: routes, steps, and messages of sockets', async () => {
    const named = (id: string): AgentServerConfig => {
      const whereAmI = createWorkflow({ id: 'where' }).andThen({ id: 'answer', execute: () => id })
      const nested = createWorkflow({ id: 'nested' }).andThen({
        id: 'ask',
        execute: () => whereAmI.execute({}),
      })
      return {
        workflows: [whereAmI, nested],
        ...route(async () => [await whereAmI.execute({}), await nested.execute({})]),
        webSockets: {
          '/ws/where': (socket) => {
            socket.on(
              'message',
              () => void whereAmI.execute({}).then((answer) => socket.send(JSON.stringify(answer))),
            )
          },
        },
      }
    }
    for (const name of ['one', 'two', 'three']) {
      const server = serve(named(name))
      const { port } = await server.listen()
      for (const id of [name, name]) {
        expect(await dataOf(server.post('/call'))).toMatchObject([{ result: id }, { result: { result: id } }])
        const response = await fetch(`http://127.0.0.1:${port}/call`, { method: 'POST' })
        expect(await response.json()).toMatchObject({ data: [{ result: id }, { result: { result: id } }] })
      }
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/where`)
      await once(socket, 'open')
      socket.send('?')
      const [answer] = (await once(socket, 'message')) as [Buffer]
      expect(JSON.parse(answer.toString())).toMatchObject({ result: name })
      socket.terminate()
    }
    await expect(greeting.start({ name: 'Ada' })).rejects.toThrow(/several servers run in this process/)
  })

  it('a workflow of a replaced generation starts on the code in service', async () => {
    const version = (text: string) =>
      createWorkflow({ id: 'versioned' }).andThen({ id: 'answer', execute: () => text })
    const old = version('old')
    const server = await reloadedServer({ workflows: [old] })
    expect(await old.execute({})).toMatchObject({ result: 'old' })
    await server.put({ workflows: [version('new')] })
    expect(await old.execute({})).toMatchObject({ result: 'new' })
  })

  it('a step whose call is refused because the server stops runs again after the restart', async () => {
    const outer = (ids: string[]) =>
      createWorkflow({ id: 'outer' }).andThen({
        id: 'call',
        execute: async ({ executionId }) => {
          ids.push(executionId)
          await servers.at(-1)?.gate.pass(executionId)
          return (await greeting.execute({ name: 'Ada' })).result
        },
      })
    const { root } = new TempProject()
    const ids: string[] = []
    const config = { database: 'file:start.db', workflows: [...workflows, outer(ids)] }
    const first = new TestServer(config, { root })
    servers.push(first)
    const id = await first.startExecution('outer')
    await first.gate.arrival(id)
    await first.close()
    const second = new TestServer(config, { root })
    servers.push(second)
    second.gate.remove()
    const record = () => dataOf(second.request(`/workflows/outer/executions/${id}`))
    await expect.poll(record).toMatchObject({ status: 'completed', output: HELLO })
    expect(ids).toEqual([id, id])
  })

  it('outside of a server, the error says how', async () => {
    for (const call of [
      greeting.start({ name: 'Ada' }),
      greeting.execute({ name: 'Ada' }),
      resumeExecution('approval', 'x'),
    ])
      await expect(call).rejects.toThrow(
        /^(start|execute|resumeExecution)\(\) works on a server: in its routes, .* no server runs in this process\. In a script of the project, call openProject\(\) of agentserver\/server first\. Elsewhere, use the client: createClient\(\) of agentserver\/client$/,
      )
  })
})
