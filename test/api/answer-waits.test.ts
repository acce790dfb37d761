import { createAgent, createTool, createWorkflow } from 'agentserver'
import { scriptedModel, type ScriptedAnswer } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AgentAnswer, AgentRunRecord } from '../../src/contract/endpoints/agent.ts'
import type { CurrentUsage } from '../../src/contract/endpoints/usage.ts'
import type { ListedApproval } from '../../src/contract/endpoints/agents/pending-approvals.ts'
import { sseMessages } from '../support/server/event-stream.ts'
import { bearer, GuardedServer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const ask = createTool({
  name: 'ask',
  description: 'Asks the user',
  inputSchema: z.object({ question: z.string() }),
  execute: async ({ question }, { step }) => {
    const { answer } = await step.suspend('answer', {
      data: { question },
      resumeSchema: z.object({ answer: z.string() }),
    })
    return answer
  },
})
const asking = (...questions: string[]) => ({
  text: 'One moment. ',
  toolCalls: questions.map((question) => ({ toolName: 'ask', input: { question } })),
})
/** The results of tools that the model got. */
const results: ScriptedAnswer = ({ prompt }) =>
  prompt
    .flatMap(({ role, content }) => (role === 'tool' ? content : []))
    .map((part) => ('output' in part && 'value' in part.output ? (part.output.value as string) : ''))
    .join()

describe('an answer whose tool waits in its middle', () => {
  let server: TestServer
  afterEach(() => server.close())

  const serve = (
    script: readonly ScriptedAnswer[] = [asking('Where?'), results],
    { resumable = true, ...config }: { resumable?: boolean } & object = {},
  ) => {
    const model = scriptedModel([...script])
    const agent = createAgent({
      id: 'clerk',
      name: 'Clerk',
      instructions: 'Help.',
      model,
      tools: [ask],
      resumable,
    })
    server = new TestServer({ agents: [agent], ...config })
    return { model }
  }
  const text = () => server.post('/agents/clerk/text', { input: 'Hi' })
  const resume = (id: string, body: object, headers = {}) =>
    server.request(`/agents/clerk/runs/${id}/resume`, { json: body, headers })
  const history = () => dataOf<AgentRunRecord[]>(server.request('/agents/clerk/history'))

  it('says what it waits for, and goes on with the data', async () => {
    const { model } = serve()
    const first = await dataOf<AgentAnswer>(await text())
    expect(first).toMatchObject({
      finishReason: 'suspended',
      waits: [
        {
          stepId: 'answer',
          path: expect.stringMatching(/^answer\/tool-.+\/answer$/) as string,
          reason: 'resume of "answer"',
          data: { question: 'Where?' },
          resumeSchema: { type: 'object', required: ['answer'] },
        },
      ],
    })
    expect(await history()).toMatchObject([{ id: first.id, status: 'suspended', waits: first.waits }])
    expect(await refusalOf(resume(first.id, { resumeData: { answer: 1 } }), 400)).toContain(
      'resumeData.answer',
    )
    expect(await dataOf(resume(first.id, { resumeData: { answer: 'Here' } }))).toMatchObject({
      id: first.id,
      text: 'Here',
      finishReason: 'stop',
    })
    expect(model.calls).toHaveLength(2)
    const [record] = await history()
    expect(record).toMatchObject({ status: 'completed', output: 'Here' })
    expect(record).not.toHaveProperty('waits')
    expect(await refusalOf(resume(first.id, { resumeData: { answer: 'Here' } }), 409)).toContain('waits')
    expect(await refusalOf(resume('unknown', { resumeData: {} }), 404)).toContain('unknown')
  })

  it('waits for several calls, each named by its path', async () => {
    serve([asking('Where?', 'When?'), results])
    const { id, waits = [] } = await dataOf<AgentAnswer>(await text())
    expect(waits).toHaveLength(2)
    expect(await refusalOf(resume(id, { resumeData: { answer: 'x' } }), 409)).toContain('stepId')
    const [one, two] = waits
    const second = await dataOf<AgentAnswer>(
      resume(id, { stepId: one?.path, resumeData: { answer: 'here' } }),
    )
    expect(second).toMatchObject({ finishReason: 'suspended', waits: [{ path: two?.path }] })
    expect(await dataOf(resume(id, { stepId: two?.path, resumeData: { answer: 'now' } }))).toMatchObject({
      text: 'here,now',
    })
  })

  it('goes on once when several requests resume it at the same time, and the others are refused', async () => {
    const { model } = serve()
    const { id } = await dataOf<AgentAnswer>(await text())
    const body = { resumeData: { answer: 'Here' } }
    const responses = await Promise.all([1, 2, 3].map(() => resume(id, body)))
    const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, 409, 409])
    const won = responses.find(({ status }) => status === 200)
    expect(await dataOf(won as Response)).toMatchObject({ id, text: 'Here' })
    expect(model.calls).toHaveLength(2)
  })

  it('asks another agent in its middle, whose answer is recorded apart', async () => {
    const expert = createAgent({
      id: 'expert',
      name: 'Expert',
      instructions: 'Know.',
      model: scriptedModel(['It is blue.']),
    })
    const consult = createTool({
      name: 'consult',
      description: 'Asks the expert',
      inputSchema: z.object({}),
      execute: async (_, { step }) => (await step.agent('colour', expert, { prompt: 'Which?' })).text,
    })
    const clerk = createAgent({
      id: 'clerk',
      name: 'Clerk',
      instructions: 'Help.',
      model: scriptedModel([{ toolCalls: [{ toolName: 'consult', input: {} }] }, results]),
      tools: [consult],
      resumable: true,
    })
    server = new TestServer({ agents: [clerk, expert] })
    expect(await dataOf(await text())).toMatchObject({ text: 'It is blue.', finishReason: 'stop' })
    expect(await dataOf(server.request('/agents/expert/history'))).toMatchObject([
      { status: 'completed', output: 'It is blue.' },
    ])
  })

  it('of a sub-agent is no failure of the tool that asked it: neither in the log nor for hooks', async () => {
    const member = createAgent({
      id: 'member',
      name: 'Member',
      instructions: 'Ask.',
      model: scriptedModel([asking('Where?'), results]),
      tools: [ask],
    })
    const ended: unknown[] = []
    const lead = createAgent({
      id: 'clerk',
      name: 'Clerk',
      instructions: 'Delegate.',
      model: scriptedModel([
        { toolCalls: [{ toolName: 'ask_member', input: { prompt: 'Where is it?' } }] },
        results,
      ]),
      subAgents: [member],
      resumable: true,
      hooks: { onToolEnd: ({ error, output }) => void ended.push(error ?? output) },
    })
    server = new TestServer({ agents: [lead] })
    const { id, finishReason } = await dataOf<AgentAnswer>(await text())
    expect(finishReason).toBe('suspended')
    expect(ended).toEqual([])
    await dataOf(resume(id, { resumeData: { answer: 'Here' } }))
    expect(ended).toHaveLength(1)
    expect(server.logs.filter(({ msg }) => String(msg).includes('failed'))).toEqual([])
  })

  it('fails with its run when its model can not be loaded any more', async () => {
    const config = { id: 'clerk', name: 'Clerk', instructions: 'Help.', tools: [ask], resumable: true }
    let isGone = false
    const scripted = scriptedModel([asking('Where?')])
    const model = () => (isGone ? 'openai/gpt-4.1-mini' : scripted)
    const agents = [createAgent({ ...config, model })]
    server = new TestServer({ agents, auth: provider() })
    const ada = bearer(await tokenOf({ sub: 'ada' }))
    const { id } = await dataOf<AgentAnswer>(await server.post('/agents/clerk/text', { input: 'Hi' }, ada))
    isGone = true
    expect(await refusalOf(resume(id, { resumeData: { answer: 'Here' } }, ada), 503)).toContain('OPENAI')
    const runs = server.request('/agents/clerk/history', { headers: ada })
    expect(await dataOf(runs)).toMatchObject([{ id, status: 'error' }])
  })

  it('streams what it waits for, and the rest after the resume', async () => {
    serve()
    const stream = await (await server.post('/agents/clerk/stream', { input: 'Hi' })).text()
    const last = sseMessages(stream).at(-1)?.event as unknown as AgentAnswer
    expect(last).toMatchObject({ type: 'finish', finishReason: 'suspended', waits: [{ stepId: 'answer' }] })
    const rest = await (
      await resume(last.id, { resumeData: { answer: 'Here' } }, { Accept: 'text/event-stream' })
    ).text()
    const parts = sseMessages(rest).map(({ event }) => event as { type: string; text?: string })
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
    expect(parts.filter(({ type }) => type === 'tool-result')).toMatchObject([{ output: 'Here' }])
  })

  it('is no execution of a workflow in lists and counts', async () => {
    serve()
    const { id } = await dataOf<AgentAnswer>(await text())
    expect(await dataOf(server.request('/workflows/executions'))).toEqual([])
    expect((await server.request(`/observability/executions/${id}`)).status).toBe(404)
    // its owner is that of the run, which these would not ask for
    const path = `/workflows/agent:clerk/executions/${id}`
    await refusalOf(server.request(path), 404)
    await refusalOf(server.request(`${path}/state`), 404)
    for (const action of ['cancel', 'suspend', 'resume', 'replay'])
      await refusalOf(server.post(`${path}/${action}`, { stepId: 'answer' }), 404)
    expect(await history()).toMatchObject([{ id, status: 'suspended' }])
  })

  it('is listed and counted with the pending approvals of all agents, oldest first, and resumed there', async () => {
    const later = z.object({ wait: z.enum(['sleep', 'ask', 'child']) })
    const child = createWorkflow({ id: 'child' }).andThen({
      id: 'sign',
      resumeSchema: z.object({ ok: z.boolean() }),
      execute: ({ resumeData, suspend }) => resumeData ?? suspend('Sign it'),
    })
    const wait = createTool({
      name: 'wait',
      description: 'Waits',
      inputSchema: later,
      execute: async (input, { step }) => {
        if (input.wait === 'sleep') return step.sleep('nap', '1d')
        if (input.wait === 'child') return step.workflow('sign', child, {})
        return step.suspend('amount', { data: { question: 'How much?', most: 10 } })
      },
    })
    const refund = createTool({
      name: 'refund',
      description: 'Refunds',
      inputSchema: z.object({}),
      needsApproval: true,
      execute: () => 'refunded',
    })
    const agentOf = (id: string, ...calls: { toolName: string; input: object }[]) =>
      createAgent({
        id,
        name: id,
        instructions: 'Help.',
        model: scriptedModel([{ toolCalls: calls }, 'Done']),
        tools: [wait, refund],
        resumable: true,
      })
    const waiting = (...kinds: string[]) => kinds.map((kind) => ({ toolName: 'wait', input: { wait: kind } }))
    server = new TestServer({
      workflows: [child],
      agents: [
        agentOf('napper', ...waiting('sleep')),
        agentOf('asker', ...waiting('sleep', 'ask')),
        agentOf('clerk', { toolName: 'refund', input: {} }),
        agentOf('signer', ...waiting('child')),
      ],
    })
    const ids = new Map<string, string>()
    for (const id of ['napper', 'asker', 'clerk', 'signer']) {
      const options = { userId: 'ada' }
      const answer = await dataOf<AgentAnswer>(
        await server.post(`/agents/${id}/text`, { input: 'Hi', options }),
      )
      ids.set(id, answer.id)
      // the next one is later
      const now = Date.now()
      while (Date.now() === now);
    }
    const list = async (query = '') => {
      const response = await server.request(`/observability/approvals${query}`)
      expect(response.headers.get('x-total-count')).toBe('3')
      return dataOf<ListedApproval[]>(response)
    }
    const [asking, approval, signing] = await list()
    expect(asking).toMatchObject({
      runId: ids.get('asker'),
      runAgentId: 'asker',
      userId: 'ada',
      toolName: 'amount',
      kind: 'elicitation',
      message: 'How much?',
      wait: { stepId: 'amount', data: { question: 'How much?', most: 10 }, reason: 'resume of "amount"' },
      expiresAt: null,
    })
    expect(approval).toMatchObject({ runAgentId: 'clerk', toolName: 'refund' })
    expect(approval).not.toHaveProperty('wait')
    expect(signing).toMatchObject({
      runAgentId: 'signer',
      message: 'Sign it',
      schema: { properties: { ok: { type: 'boolean' } } },
    })
    expect(await list('?limit=1&offset=1')).toEqual([approval])
    const counted = async () =>
      (await dataOf<CurrentUsage>(server.request('/observability/activity'))).needsYou.approvals
    expect(await counted()).toBe(3)
    const decide = (one: ListedApproval | undefined, resumeData?: object) =>
      server.post(`/observability/agents/${one?.runAgentId}/runs/${one?.runId}/resume`, {
        stepId: one?.wait?.path,
        resumeData,
      })
    expect(await dataOf(decide(signing, { ok: true }))).toMatchObject({ text: 'Done' })
    // its other call sleeps
    expect(await dataOf(decide(asking))).toMatchObject({ finishReason: 'suspended' })
    expect(await counted()).toBe(1)
    expect(await dataOf(server.request('/observability/approvals'))).toEqual([approval])
  })

  describe('for an event', () => {
    const paying = () => {
      const pay = createTool({
        name: 'pay',
        description: 'Waits for the payment',
        inputSchema: z.object({}),
        execute: (_, { step }) => step.waitForEvent('paid', { event: 'paid', timeout: '1d' }),
      })
      const model = scriptedModel([{ toolCalls: [{ toolName: 'pay', input: {} }] }, results])
      const config = { id: 'clerk', name: 'Clerk', instructions: 'Help.', model, tools: [pay] }
      const agents = [createAgent({ ...config, resumable: true })]
      const authNext = { provider: provider(), ownership: 'strict' as const }
      server = new GuardedServer({ agents, authNext })
    }
    const start = async (headers: object) =>
      dataOf<AgentAnswer>(await server.post('/agents/clerk/text', { input: 'Hi' }, { ...headers }))
    const sent = (id: string, headers: object) =>
      dataOf(server.post('/events', { name: 'paid', id, data: 'paid' }, { ...headers, ...keyHeader() }))

    it('is not resumed by users, as a workflow is not', async () => {
      paying()
      const ada = bearer(await tokenOf({ sub: 'ada' }))
      const { id } = await start(ada)
      expect(await refusalOf(resume(id, { resumeData: { amount: 0 } }, ada), 403)).toContain(
        "users can't resume",
      )
    })

    it('belongs to the user who asked, like an execution', async () => {
      paying()
      const ada = bearer(await tokenOf({ sub: 'ada' }))
      const bob = bearer(await tokenOf({ sub: 'bob' }))
      const { id } = await start(ada)
      // operators, but these events are those of users
      expect(await sent('e1', bob)).toMatchObject({ resumed: [] })
      expect(await sent('e2', ada)).toMatchObject({ resumed: [id] })
      await expect
        .poll(() => dataOf(server.request('/agents/clerk/history', { headers: keyHeader() })))
        .toMatchObject([{ id, status: 'completed', output: 'paid' }])
    })
  })

  it('is resumed by the link that the tool sends', async () => {
    const links: string[] = []
    const sign = createTool({
      name: 'sign',
      description: 'Lets the user sign',
      inputSchema: z.object({}),
      execute: async (_, { step }) => {
        const { name } = await step.suspend('signature', {
          resumeSchema: z.object({ name: z.string() }),
          notify: ({ url }) => links.push(url),
        })
        return name
      },
    })
    const model = scriptedModel([{ toolCalls: [{ toolName: 'sign', input: {} }] }, results])
    const config = { id: 'clerk', name: 'Clerk', instructions: 'Help.', model, tools: [sign] }
    server = new TestServer({
      agents: [createAgent({ ...config, resumable: true })],
      publicUrl: 'https://example.com',
    })
    const { id } = await dataOf<AgentAnswer>(await text())
    expect(links).toHaveLength(1)
    const { pathname } = new URL(links[0] ?? '')
    expect((await server.request(pathname)).status).toBe(200)
    const form = 'name=Ada'
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = await server.request(pathname, { method: 'POST', body: form, headers })
    expect(sent.status).toBe(200)
    await expect.poll(history).toMatchObject([{ id, status: 'completed', output: 'Ada' }])
  })

  it('is an error of the call that says how to record it where it is not recorded', async () => {
    serve([asking('Where?'), 'Sorry.', asking('Where?')], { resumable: false })
    const answer = await dataOf<AgentAnswer>(await text())
    expect(answer).toMatchObject({
      text: 'Sorry.',
      toolResults: [{ error: expect.stringContaining('resumable: true') as string }],
    })
    const options = { resumable: true }
    const recorded = await server.post('/agents/clerk/text', { input: 'Hi', options })
    expect(await dataOf(recorded)).toMatchObject({ finishReason: 'suspended' })
  })

  it('refuses a compensate, and says what to do instead', async () => {
    const book = createTool({
      name: 'book',
      description: 'Books',
      inputSchema: z.object({}),
      execute: (_, { step }) => step.run('seat', () => 1, { compensate: () => undefined }),
    })
    const model = scriptedModel([{ toolCalls: [{ toolName: 'book', input: {} }] }, 'Sorry.'])
    const config = { id: 'clerk', name: 'Clerk', instructions: 'Help.', model, tools: [book] }
    server = new TestServer({ agents: [createAgent({ ...config, resumable: true })] })
    expect(await dataOf<AgentAnswer>(await text())).toMatchObject({
      toolResults: [{ error: expect.stringContaining('catch the error in the tool') as string }],
    })
  })

  it('is noted when the configuration is loaded, where it could not be recorded', async () => {
    serve([], { resumable: false })
    await server.ready()
    expect(server.logs.map(({ msg }) => msg)).toEqual([
      'Agent "clerk" has the tool "ask", which uses step: that fails in answers that are not recorded. Set resumable: true of the agent, or in the options of requests',
    ])
    await server.close()
    serve([])
    await server.ready()
    expect(server.logs).toEqual([])
  })
})
