import { once } from 'node:events'
import {
  ApprovalRequiredError,
  cancelExecution,
  createAgent,
  createSchedule,
  createTool,
  createWorkflow,
  getExecution,
  startWorkflow,
} from 'agentserver'
import type { Agent, AgentServerConfig } from 'agentserver'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { createDeferred } from '../../src/lib/async/wake-up.ts'
import { scriptedModel, type ScriptedAnswer } from '../../src/testing/index.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

interface Run {
  readonly id: string
  readonly status: string
  readonly traceId: string
  readonly userId: string | null
  readonly input: unknown
  readonly output: unknown
}

const agentOf = (
  script: readonly ScriptedAnswer[],
  options: Partial<Parameters<typeof createAgent>[0]> = {},
) =>
  createAgent({
    id: 'clerk',
    name: 'Clerk',
    instructions: 'Be brief.',
    model: scriptedModel(script),
    ...options,
  })
const refund = createTool({
  name: 'refund',
  description: 'Refunds an order',
  inputSchema: z.object({ order: z.number() }),
  needsApproval: true,
  execute: ({ order }) => ({ refunded: order }),
})
const refunding = (options: Parameters<typeof agentOf>[1] = {}) =>
  agentOf([{ toolCalls: [{ toolName: 'refund', input: { order: 7 } }] }, 'Refunded'], {
    tools: [refund],
    ...options,
  })
const forever: ScriptedAnswer = { text: 'never', delayMs: Infinity }
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => 'no error',
    (error: { name: string; code?: string; message: string }) =>
      `${error.name} ${error.code ?? ''}: ${error.message}`,
  )

describe('agents and tools in code', () => {
  const servers: TestServer[] = []
  const serve = (config: AgentServerConfig, options: ConstructorParameters<typeof TestServer>[1] = {}) => {
    const server = new TestServer(config, options)
    servers.push(server)
    return server
  }
  const route = (handle: () => Promise<unknown>): AgentServerConfig => ({
    configureApp: (app) => {
      app.post('/call', async (c) => c.json({ success: true, data: await handle() }))
    },
  })
  const inRoute = (agent: Agent, handle: () => Promise<unknown>, config: AgentServerConfig = {}) =>
    serve({ agents: [agent], ...config, ...route(handle) })
  const history = (server: TestServer) => dataOf<Run[]>(server.request('/agents/clerk/history'))
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })

  describe('agent.generate in a route', () => {
    it('answers with text, which the history lists with its user', async () => {
      const clerk = agentOf(['It is on its way'])
      const server = inRoute(clerk, () => clerk.generate('Where is order 7?', { userId: 'ada' }))
      const answer = await dataOf<Record<string, unknown>>(server.post('/call'))
      const [run] = await history(server)
      expect(answer).toMatchObject({
        status: 'completed',
        text: 'It is on its way',
        finishReason: 'stop',
        steps: [{}],
      })
      expect(run).toMatchObject({ userId: 'ada', input: 'Where is order 7?', output: 'It is on its way' })
      expect([answer['runId'], answer['traceId']]).toEqual([run?.id, run?.traceId])
    })

    it('is part of the trace of its request', async () => {
      const clerk = agentOf(['Hello'])
      const server = inRoute(clerk, async () => (await clerk.generate('Hi')).traceId)
      const traceId = await dataOf<string>(server.post('/call'))
      const trace = await dataOf<{ spans: { name: string; spanId: string; parentSpanId?: string }[] }>(
        server.request(`/observability/traces/${traceId}`),
      )
      const request = trace.spans.find(({ name }) => name === 'POST /call')
      expect(request?.spanId).toBeDefined()
      expect(trace.spans.find(({ name }) => name === 'invoke_agent clerk')?.parentSpanId).toBe(
        request?.spanId,
      )
    })

    it('answers with an object of the schema, as the schema has transformed it', async () => {
      const clerk = agentOf([{ object: { days: '3' } }])
      const schema = z.object({ days: z.string().transform(Number) })
      let days: number | undefined
      const server = inRoute(clerk, async () => {
        const { object } = await clerk.generate('How long?', { schema })
        days = object.days
      })
      expect((await server.post('/call')).status).toBe(200)
      expect(days).toBe(3)
    })

    it('continues the conversation of the user', async () => {
      const model = scriptedModel(['Hello Ada', 'You are Ada'])
      const clerk = agentOf([], { model })
      const options = { userId: 'ada', conversationId: 'c1' }
      const server = inRoute(clerk, async () => {
        await clerk.generate('I am Ada', options)
        return clerk.generate([{ role: 'user', content: 'Who am I?' }], options)
      })
      expect(await dataOf(server.post('/call'))).toMatchObject({ text: 'You are Ada' })
      expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Hello Ada')
    })

    it('passes settings to the model, and context, user and conversation to tools', async () => {
      const seen = createDeferred<unknown>()
      const look = createTool({
        name: 'look',
        description: 'Looks',
        inputSchema: z.object({}),
        execute: (_, { userId, context, conversationId }) => {
          seen.resolve({ userId, context, conversationId })
          return 1
        },
      })
      const model = scriptedModel([{ toolCalls: [{ toolName: 'look', input: {} }] }, 'seen'])
      const clerk = agentOf([], { model, tools: [look] })
      const options = { userId: 'ada', context: { shop: 1 }, conversationId: 'c', temperature: 0.5 }
      await dataOf(inRoute(clerk, () => clerk.generate('Look', options)).post('/call'))
      expect(await seen.promise).toEqual({ userId: 'ada', context: { shop: 1 }, conversationId: 'c' })
      expect(model.calls[0]?.temperature).toBe(0.5)
    })

    it('a blocked request is an answer with a reason, with a schema an AnswerBlockedError', async () => {
      const clerk = agentOf([], { guardrails: { input: [() => ({ block: 'No politics' })] } })
      const server = inRoute(clerk, async () => [
        await clerk.generate('Who should I vote for?'),
        await errorOf(clerk.generate('Who?', { schema: z.object({ name: z.string() }) })),
      ])
      expect(await dataOf(server.post('/call'))).toMatchObject([
        { status: 'completed', finishReason: 'guardrail', reason: 'No politics', text: '' },
        'AnswerBlockedError conflict: A guardrail of agent "clerk" blocked the request: No politics',
      ])
    })

    it('reports a model that fails, with the cause', async () => {
      const clerk = agentOf([new Error('out of tokens')])
      const server = inRoute(clerk, () =>
        clerk
          .generate('Hi')
          .catch(({ code, cause }: { code: string; cause: Error }) => [code, cause.message]),
      )
      expect(await dataOf(server.post('/call'))).toEqual(['execution_failed', 'out of tokens'])
      expect(await history(server)).toMatchObject([{ status: 'error' }])
    })

    it.each([
      ['', {}, 'invalid_input: input: Must not be blank'],
      [7, {}, 'invalid_input: input: Must be a text, or a list of 1 to 1000 messages'],
      [[], {}, /invalid_input: input: /],
      [[{ role: 'nobody' }], {}, /invalid_input: input\[0\]/],
      [
        'Hi',
        { schema: 'text' },
        'invalid_input: options.schema: Must be a Standard Schema (zod, Valibot, ArkType, …) or a JSON Schema object',
      ],
      ['Hi', { schema: { type: 'objekt' } }, /invalid_input: schema: /],
      ['Hi', { userId: 7 }, /invalid_input: options.userId: /],
      ['Hi', { signal: {} }, 'invalid_input: options.signal: Must be an AbortSignal'],
      ['Hi', { temprature: 1 }, /invalid_input: options.*temprature/],
      ['Hi', null, /invalid_input: options: /],
    ])('refuses %j with the options %j', async (input, options, message) => {
      const clerk = agentOf(['Hello'])
      const server = inRoute(clerk, () => errorOf(clerk.generate(input as string, options as object)))
      const text = await dataOf<string>(server.post('/call'))
      if (typeof message === 'string') expect(text).toBe(`AppError ${message}`)
      else expect(text).toMatch(message)
      expect(await history(server)).toEqual([])
    })

    it('of an agent that the configuration does not have names the fix', async () => {
      const stranger = agentOf([], { id: 'stranger' })
      const server = inRoute(agentOf([]), () => errorOf(stranger.generate('Hi')))
      expect(await dataOf(server.post('/call'))).toBe(
        'AppError not_found: Agent not found: stranger. List it in agents of the configuration, or use it in a workflow or another agent',
      )
    })

    it('rejects with the reason of its signal, before it starts and while the model answers', async () => {
      const started = createDeferred<void>()
      const clerk = agentOf([forever], { hooks: { onStart: () => started.resolve() } })
      const reason = (signal: AbortSignal) =>
        clerk.generate('Hi', { signal }).catch((error: Error) => error.message)
      const server = inRoute(clerk, async () => {
        const abort = new AbortController()
        const call = reason(abort.signal)
        await started.promise
        abort.abort(new Error('changed my mind'))
        return [await reason(AbortSignal.abort(new Error('too late'))), await call]
      })
      expect(await dataOf(server.post('/call'))).toEqual(['too late', 'changed my mind'])
      await expect.poll(() => history(server)).toMatchObject([{ status: 'aborted' }])
    })
  })

  describe('agent.generate of an agent whose tool needs approval', () => {
    it('rejects with the calls and the run, which waits for its approval', async () => {
      const clerk = refunding()
      const server = inRoute(clerk, () =>
        clerk.generate('Refund order 7').catch((error: unknown) => {
          if (!(error instanceof ApprovalRequiredError)) throw error
          const { calls, runId } = error
          return { calls, runId }
        }),
      )
      const { calls, runId } = await dataOf<ApprovalRequiredError>(server.post('/call'))
      expect(calls).toMatchObject([{ toolName: 'refund', input: { order: 7 }, agentId: 'clerk' }])
      const approvals = [{ approvalId: calls[0]?.approvalId, approved: true }]
      const approved = server.post(`/agents/clerk/runs/${runId}/approvals`, { approvals })
      expect(await dataOf(approved)).toMatchObject({ text: 'Refunded' })
    })

    it('resolves with status "suspended" when it is resumable, with a schema of any library', async () => {
      const clerk = refunding({
        model: scriptedModel([
          { toolCalls: [{ toolName: 'refund', input: { order: 7 } }] },
          { object: { done: true } },
        ]),
      })
      const schema = z.object({ done: z.boolean() })
      const server = inRoute(clerk, async () => {
        const answer = await clerk.generate('Refund order 7', { schema, resumable: true })
        return answer.status === 'suspended' ? answer : answer.object.done
      })
      const answer = await dataOf<{ runId: string; approvals: { approvalId: string }[] }>(
        server.post('/call'),
      )
      expect(answer).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'refund' }] })
      const approvals = answer.approvals.map(({ approvalId }) => ({ approvalId, approved: true }))
      const approved = server.post(`/agents/clerk/runs/${answer.runId}/approvals`, { approvals })
      expect(await dataOf(approved)).toMatchObject({ object: { done: true } })
    })

    it('a resumable answer goes on when its caller aborts, and its object fits the schema', async () => {
      const go = createDeferred<void>()
      const clerk = agentOf([{ object: { days: '3' } }, { object: { days: '3' } }], {
        hooks: { onStart: () => go.promise },
      })
      const schema = z.object({ days: z.string().transform(Number) })
      const abort = new AbortController()
      const server = inRoute(clerk, async () => {
        const left = errorOf(clerk.generate('Hi', { schema, resumable: true, signal: abort.signal }))
        const answer = clerk.generate('Hi', { schema, resumable: true })
        abort.abort(new Error('left'))
        const error = await left
        go.resolve()
        const { status } = await answer
        return [error, status, await answer]
      })
      expect(await dataOf(server.post('/call'))).toMatchObject([
        'Error : left',
        'completed',
        { object: { days: 3 } },
      ])
      await expect
        .poll(() => history(server))
        .toMatchObject([{ status: 'completed' }, { status: 'completed' }])
    })
  })

  describe('agent.stream in a route', () => {
    const typesOf = async (parts: AsyncIterable<{ type: string }>) => {
      const types: string[] = []
      for await (const { type } of parts) types.push(type)
      return types
    }

    it('has the parts of /stream and the complete answer', async () => {
      const clerk = agentOf(['Hello', 'Hello'])
      const server = inRoute(clerk, async () => {
        const answer = clerk.stream('Hi')
        let text = ''
        for await (const part of answer) if (part.type === 'text-delta') text += part.text
        return [text, await typesOf(answer), await answer.result]
      })
      const [text, types, result] = await dataOf<[string, string[], unknown]>(server.post('/call'))
      expect(text).toBe('Hello')
      expect(result).toMatchObject({ status: 'completed', text: 'Hello' })
      const overHttp = await (await server.post('/agents/clerk/stream', { input: 'Hi' })).text()
      const sent = overHttp
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => (JSON.parse(line.slice(6)) as { type: string }).type)
      expect(types).toEqual(sent)
    })

    it('has partial objects with a schema, and a typed result without a reader of the parts', async () => {
      const clerk = agentOf([{ object: { days: 3 } }, { object: { days: 3 } }])
      const schema = z.object({ days: z.number() })
      const server = inRoute(clerk, async () => [
        await typesOf(clerk.stream('Hi', { schema })),
        (await clerk.stream('Hi', { schema }).result).object.days,
      ])
      const [types, days] = await dataOf<[string[], number]>(server.post('/call'))
      expect(new Set(types)).toEqual(new Set(['object-delta', 'finish']))
      expect(days).toBe(3)
    })

    it('leaving the loop aborts the answer', async () => {
      const clerk = agentOf([{ text: 'word '.repeat(50), delayMs: 20 }])
      const server = inRoute(clerk, async () => {
        for await (const part of clerk.stream('Hi')) if (part.type === 'text-delta') return part.text
        return 'no text'
      })
      expect(await dataOf(server.post('/call'))).toMatch(/^word/)
      await expect.poll(() => history(server)).toMatchObject([{ status: 'aborted' }])
    })

    it('an answer that fails has an error part, and result rejects', async () => {
      const clerk = agentOf([{ text: 'Hal', error: new Error('out of tokens') }])
      const server = inRoute(clerk, async () => {
        const answer = clerk.stream('Hi')
        return [(await typesOf(answer)).at(-1), await errorOf(answer.result)]
      })
      expect(await dataOf(server.post('/call'))).toEqual([
        'error',
        expect.stringMatching(/^AppError execution_failed: /),
      ])
    })

    it('bad input rejects the first part and result', async () => {
      const clerk = agentOf([])
      const server = inRoute(clerk, async () => {
        const answer = clerk.stream('')
        return [await errorOf(typesOf(answer)), await errorOf(answer.result)]
      })
      const blank = 'AppError invalid_input: input: Must not be blank'
      expect(await dataOf(server.post('/call'))).toEqual([blank, blank])
    })

    it('an answer that waits for approval: result is an ApprovalRequiredError, or "suspended" when it is resumable', async () => {
      const once = { toolCalls: [{ toolName: 'refund', input: { order: 7 } }] }
      const clerk = refunding({ model: scriptedModel([once, once]) })
      const server = inRoute(clerk, async () => {
        const resumable = clerk.stream('Refund', { resumable: true })
        return [
          await errorOf(clerk.stream('Refund').result),
          await typesOf(resumable),
          await resumable.result,
        ]
      })
      const [error, types, result] = await dataOf<[string, string[], unknown]>(server.post('/call'))
      expect(error).toMatch(
        /^ApprovalRequiredError conflict: Agent "clerk" needs approval to call "refund"\./,
      )
      expect(types).toContain('tool-approval-request')
      expect(result).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'refund' }] })
    })
  })

  describe('agent.generate in a step', () => {
    const asking = (clerk: Agent, run: () => Promise<unknown> = () => clerk.generate('Hi')) =>
      createWorkflow({ id: 'asking' }).andThen({
        id: 'ask',
        execute: async () => JSON.stringify(await run()),
      })
    const record = (server: TestServer, id: string) =>
      dataOf<{ status: string; metadata: { traceId: string }; usage?: unknown }>(
        server.request(`/workflows/asking/executions/${id}`),
      )
    const priced = { usage: { inputTokens: 10, outputTokens: 5 } }

    it('belongs to the trace, the usage and the costs of the step', async () => {
      const clerk = agentOf([{ text: 'Hello', ...priced }])
      const server = serve({ workflows: [asking(clerk)], agents: [clerk] })
      const { executionId } = await server.execute('asking')
      const { metadata, usage } = await record(server, executionId)
      const [run] = await history(server)
      expect(run?.traceId).toBe(metadata.traceId)
      expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 5 })
      const costs = await dataOf(server.request('/observability/costs?workflowId=asking'))
      expect(JSON.stringify(costs)).toContain('"ask"')
      const trace = await dataOf<{ spans: { name: string; spanId: string; parentSpanId?: string }[] }>(
        server.request(`/observability/traces/${metadata.traceId}`),
      )
      const step = trace.spans.find(({ name }) => name === 'step ask')
      expect(trace.spans.find(({ name }) => name === 'invoke_agent clerk')?.parentSpanId).toBe(step?.spanId)
    })

    it('of a tool of the agent of a step belongs to that step, below the tool', async () => {
      const helper = agentOf([{ text: 'by truck', ...priced }], { id: 'helper' })
      const ship = createTool({
        name: 'ship',
        description: 'Ships',
        inputSchema: z.object({}),
        execute: async () => (await helper.generate('How?')).text,
      })
      const clerk = agentOf(
        [
          { toolCalls: [{ toolName: 'ship', input: {} }], ...priced },
          { text: 'Done', ...priced },
        ],
        {
          tools: [ship],
        },
      )
      const workflow = createWorkflow({ id: 'asking' }).andAgent({
        id: 'ask',
        agent: clerk,
        prompt: 'Ship it',
      })
      const server = serve({ workflows: [workflow], agents: [helper] })
      const { executionId } = await server.execute('asking')
      const { metadata, usage } = await record(server, executionId)
      expect(usage).toMatchObject({ inputTokens: 30 })
      const trace = await dataOf<{ spans: { name: string; spanId: string; parentSpanId?: string }[] }>(
        server.request(`/observability/traces/${metadata.traceId}`),
      )
      const tool = trace.spans.find(({ name }) => name === 'execute_tool ship')
      expect(trace.spans.find(({ name }) => name === 'invoke_agent helper')?.parentSpanId).toBe(tool?.spanId)
    })

    it('takes the new messages of a whole conversation, as a request does', async () => {
      const clerk = agentOf(['Hello Ada', 'You are Ada'])
      const said = [
        { role: 'user', content: 'I am Ada' },
        { role: 'assistant', content: 'Hello Ada' },
      ]
      const options = { userId: 'ada', conversationId: 'c1' }
      const ask = async () => {
        await clerk.generate('I am Ada', options)
        return clerk.generate([...said, { role: 'user', content: 'Who am I?' }], options)
      }
      const server = serve({ workflows: [asking(clerk, ask)], agents: [clerk] })
      await server.execute('asking')
      const path = '/observability/conversations?userId=ada'
      expect(await dataOf(server.request(path))).toMatchObject([{ messageCount: 4 }])
    })

    it('in a function outside of its calls belongs to the execution', async () => {
      const clerk = agentOf([{ text: 'Hello', ...priced }])
      const workflow = createWorkflow({ id: 'asking', run: async () => (await clerk.generate('Hi')).text })
      const server = serve({ workflows: [workflow], agents: [clerk] })
      const { executionId } = await server.execute('asking')
      expect(await record(server, executionId)).toMatchObject({ usage: { inputTokens: 10 }, output: 'Hello' })
    })

    it('ends with the step, when that is cancelled', async () => {
      const started = createDeferred<void>()
      const clerk = agentOf([forever], { hooks: { onStart: () => started.resolve() } })
      const server = serve({ workflows: [asking(clerk)], agents: [clerk] })
      const id = await server.startExecution('asking')
      await started.promise
      await server.post(`/workflows/asking/executions/${id}/cancel`)
      await expect.poll(() => history(server)).toMatchObject([{ status: 'aborted' }])
    })

    it('ends an answer that needs approval, and fails the step without a retry', async () => {
      const clerk = refunding()
      const workflow = createWorkflow({ id: 'asking' }).andThen({
        id: 'ask',
        retries: { limit: 3, delayMs: 1 },
        execute: async () => (await clerk.generate('Refund order 7')).text,
      })
      const server = serve({ workflows: [workflow], agents: [clerk] })
      const started = await server.startExecution('asking')
      await expect.poll(async () => (await record(server, started)).status).toBe('error')
      expect(await record(server, started)).toMatchObject({
        error: {
          name: 'ApprovalRequiredError',
          message: expect.stringContaining('Use step.agent') as string,
        },
        steps: [{ attempts: 1 }],
      })
      const [run, ...others] = await history(server)
      expect([run?.status, others]).toEqual(['aborted', []])
      expect(await dataOf(server.request('/observability/approvals'))).toEqual([])
    })

    it('is a run of its own when it is resumable', async () => {
      const clerk = refunding()
      const server = serve({
        workflows: [asking(clerk, () => clerk.generate('Refund order 7', { resumable: true }))],
        agents: [clerk],
      })
      const { status } = await server.execute('asking')
      expect(status).toBe('completed')
      expect(await history(server)).toMatchObject([{ status: 'suspended' }])
    })
  })

  it('agent.generate works in WebSocket handlers, hooks and inputs of schedules', async () => {
    const clerk = agentOf(['socket', 'hook', 'schedule', 'again'])
    const hooked = createDeferred<string>()
    const workflow = createWorkflow({
      id: 'hooked',
      onEnd: async () => hooked.resolve((await clerk.generate('From a hook')).text),
    }).andThen({ id: 'do', execute: () => 1 })
    const nightly = createSchedule({
      id: 'nightly',
      workflow,
      cron: '0 3 * * *',
      input: async () => ({ asked: (await clerk.generate('From a schedule')).text }),
    })
    const server = serve({
      workflows: [workflow],
      agents: [clerk],
      schedules: [nightly],
      webSockets: {
        '/ws/talk': (socket) => {
          socket.on('message', () => void clerk.generate('Hi').then(({ text }) => socket.send(text)))
        },
      },
    })
    const { url } = await server.listen()
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/talk`)
    await once(socket, 'open')
    socket.send('hi')
    const [message] = (await once(socket, 'message')) as [Buffer]
    expect(message.toString()).toBe('socket')
    socket.close()
    await server.execute('hooked')
    expect(await hooked.promise).toBe('hook')
    const { executionId } = await dataOf<{ executionId: string }>(server.post('/schedules/nightly/trigger'))
    const started = dataOf(server.request(`/workflows/hooked/executions/${executionId}`))
    expect(await started).toMatchObject({ input: { asked: 'schedule' } })
  })

  describe('tool.run', () => {
    const double = createTool({
      name: 'double',
      description: 'Doubles',
      inputSchema: z.object({ n: z.number().default(1) }),
      outputSchema: z.object({ n: z.number() }),
      execute: ({ n }, { userId, context }) =>
        context['fail'] === true ? Promise.reject(new TypeError(`not for ${userId}`)) : { n: n * 2 },
    })

    it('validates the input and returns the result', async () => {
      const server = serve(route(async () => (await double.run({})).n + (await double.run({ n: 4 })).n))
      expect(await dataOf(server.post('/call'))).toBe(10)
    })

    it('reports bad input, invalid results, and rethrows what the tool throws', async () => {
      const broken = createTool({
        name: 'broken',
        description: 'Broken',
        inputSchema: z.object({}),
        outputSchema: z.object({ n: z.number() }),
        execute: () => ({}) as { n: number },
      })
      const any = (value: unknown) => value as never
      const server = serve(
        route(async () => [
          await errorOf(double.run(any({ n: 'x' }))),
          await errorOf(broken.run({})),
          await errorOf(double.run({}, { userId: 'ada', context: { fail: true } })),
          await errorOf(double.run({}, { userId: any(7) })),
          await errorOf(double.run({}, any(null))),
          await errorOf(double.run({}, { signal: any({}) })),
          await errorOf(double.run({}, { signal: AbortSignal.abort(new Error('too late')) })),
        ]),
      )
      expect(await dataOf(server.post('/call'))).toEqual([
        expect.stringMatching(/^AppError invalid_input: input\.n: /),
        expect.stringMatching(
          /^AppError execution_failed: Tool "broken" returned an invalid result: result\.n: /,
        ),
        'TypeError : not for ada',
        'AppError invalid_input: tool.run(): options.userId must be a string, not number',
        expect.stringMatching(/^AppError invalid_input: tool\.run\(\): options must be an object/),
        'AppError invalid_input: tool.run(): options.signal must be an AbortSignal',
        'Error : too late',
      ])
    })

    it('refuses a call that needs approval unless code approves it, and a tool of the client', async () => {
      const pick = createTool({ name: 'pick', description: 'Picks a file', inputSchema: z.object({}) })
      const server = serve(
        route(async () => [
          await refund
            .run({ order: 7 })
            .catch((error: ApprovalRequiredError) => [error.name, error.message, error.calls]),
          await refund.run({ order: 7 }, { approve: true }),
          await errorOf((pick as unknown as typeof refund).run({ order: 7 })),
        ]),
      )
      expect(await dataOf(server.post('/call'))).toEqual([
        [
          'ApprovalRequiredError',
          'The call of tool "refund" needs approval. Pass approve: true if your code may approve it',
          [{ toolName: 'refund', input: { order: 7 } }],
        ],
        { refunded: 7 },
        expect.stringMatching(/^AppError invalid_input: Tool "pick" has no execute: /),
      ])
    })

    it('in a step is a span of the step, and ends with it', async () => {
      const aborted = createDeferred<unknown>()
      const started = createDeferred<void>()
      const wait = createTool({
        name: 'wait',
        description: 'Waits',
        inputSchema: z.object({}),
        execute: (_, { signal }) => {
          signal.addEventListener('abort', () => aborted.resolve('aborted'))
          started.resolve()
          return aborted.promise as Promise<string>
        },
      })
      const workflow = createWorkflow({ id: 'calling' })
        .andThen({ id: 'double', execute: () => double.run({ n: 2 }) })
        .andThen({ id: 'wait', execute: () => wait.run({}) })
      const server = serve({ workflows: [workflow] })
      const id = await server.startExecution('calling')
      await started.promise
      await server.post(`/workflows/calling/executions/${id}/cancel`)
      expect(await aborted.promise).toBe('aborted')
      const { metadata } = await dataOf<{ metadata: { traceId: string } }>(
        server.request(`/workflows/calling/executions/${id}`),
      )
      const trace = await dataOf<{ spans: { name: string; spanId: string; parentSpanId?: string }[] }>(
        server.request(`/observability/traces/${metadata.traceId}`),
      )
      const step = trace.spans.find(({ name }) => name === 'step double')
      expect(trace.spans.find(({ name }) => name === 'execute_tool double')?.parentSpanId).toBe(step?.spanId)
    })
  })

  describe('executions by id in code', () => {
    const waiting = createWorkflow({ id: 'waiting', inputSchema: z.object({ n: z.number() }) }).andThen({
      id: 'approve',
      execute: ({ suspend }) => suspend('Waits'),
    })

    it('are started, read and cancelled', async () => {
      const server = serve({
        workflows: [waiting],
        ...route(async () => {
          const started = await startWorkflow('waiting', { n: 1 }, { userId: 'ada' })
          await started.result()
          const { executionId } = started
          const before = await getExecution('waiting', executionId)
          const ended = await cancelExecution('waiting', executionId, { reason: 'not needed' })
          const after = await getExecution('waiting', executionId)
          return [before, ended, after.status, await errorOf(cancelExecution('waiting', executionId))]
        }),
      })
      expect(await dataOf(server.post('/call'))).toMatchObject([
        { status: 'suspended', input: { n: 1 }, userId: 'ada', steps: [{ stepId: 'approve' }] },
        { status: 'cancelled', reason: 'not needed' },
        'cancelled',
        expect.stringMatching(/^AppError not_cancellable: /),
      ])
    })

    it('calls that can not be made name what is wrong', async () => {
      const any = (value: unknown) => value as never
      const server = serve({
        workflows: [waiting],
        ...route(async () => [
          await errorOf(startWorkflow('nothing', {})),
          await errorOf(startWorkflow(any({}), {})),
          await errorOf(startWorkflow('waiting', { n: 'x' })),
          await errorOf(getExecution('waiting', 'nothing')),
          await errorOf(getExecution('nothing', 'nothing')),
          await errorOf(cancelExecution('waiting', 'nothing')),
          await errorOf(cancelExecution('waiting', any(7))),
          await errorOf(cancelExecution('waiting', 'x', { reason: any(7) })),
          await errorOf(cancelExecution('waiting', 'x', any(null))),
        ]),
      })
      expect(await dataOf(server.post('/call'))).toEqual(
        [
          /not_found: Workflow not found: nothing/,
          /invalid_input: workflowId: /,
          /invalid_input: .*input\.n: /,
          /not_found: Execution not found: nothing/,
          /not_found: Workflow not found: nothing/,
          /not_found: Execution not found: nothing/,
          /invalid_input: executionId: /,
          /invalid_input: options\.reason: /,
          /invalid_input: options: /,
        ].map((pattern) => expect.stringMatching(pattern) as string),
      )
    })
  })

  it('without a server, the error names openProject()', async () => {
    const clerk = agentOf([])
    for (const call of [
      clerk.generate('Hi'),
      clerk.stream('Hi').result,
      refund.run({ order: 1 }),
      startWorkflow('x', {}),
      getExecution('x', 'y'),
      cancelExecution('x', 'y'),
    ])
      expect(await errorOf(call)).toMatch(
        /^AppError unavailable: .*\(\) works on a server: .* call openProject\(\) of agentserver\/server first\./,
      )
  })
})
