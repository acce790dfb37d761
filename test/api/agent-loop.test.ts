import { createAgent, createTool, createWorkflow, type AgentConfig } from 'agentserver'
import { type ScriptedAnswer, scriptedModel } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { messagesOf } from '../support/server/event-stream.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const tool = (name: string, needsApproval = false) =>
  createTool({
    name,
    description: name,
    inputSchema: z.object({}),
    needsApproval,
    execute: () => `${name} result`,
  })
const calling = (...names: string[]) => ({ toolCalls: names.map((toolName) => ({ toolName, input: {} })) })

let server: TestServer
const partsOf = async (response: Promise<Response>) =>
  (await messagesOf(response)).map(({ event }) => event as { readonly type: string })
afterEach(() => server.close())

function serve(script: readonly ScriptedAnswer[], config: Partial<AgentConfig> = {}) {
  const model = scriptedModel(script)
  const tools = [tool('search'), tool('done'), tool('pay', true)]
  const agent = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help.', model, tools, ...config })
  const desk = createWorkflow({ id: 'desk' }).andAgent({ id: 'ask', agent, prompt: 'Hi' })
  server = new TestServer({ workflows: [desk], agents: [agent] })
  return { agent, model }
}

interface Answer {
  readonly id: string
  readonly text: string
  readonly finishReason: string
  readonly toolResults: readonly { readonly output: unknown }[]
  readonly approvals: readonly { readonly approvalId: string }[]
}

describe('toolChoice and activeTools of a request', () => {
  it('reach the model', async () => {
    const { model } = serve([calling('search')])
    const options = {
      toolChoice: { type: 'tool', toolName: 'search' },
      activeTools: ['search', 'done'],
      maxSteps: 1,
    }
    const answer = await dataOf<Answer>(server.post('/agents/clerk/text', { input: 'Hi', options }))
    expect(answer).toMatchObject({ text: '', toolResults: [{ output: 'search result' }] })
    expect(model.calls[0]?.toolChoice).toEqual(options.toolChoice)
    expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(options.activeTools)
  })

  it.each(['text', 'stream', 'object', 'stream-object', 'chat'])(
    'are refused by /%s with the tools of the agent when one does not exist, and nothing is recorded',
    async (route) => {
      const { model } = serve([])
      const body =
        route === 'chat'
          ? { id: 'talk', messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] }
          : { input: 'Hi' }
      const schema = route.includes('object') ? { schema: { type: 'object', properties: {} } } : {}
      const refused = (options: object) =>
        refusalOf(server.post(`/agents/clerk/${route}`, { ...body, ...schema, options }), 400)
      const known = 'its tools are search, done, pay'
      expect(await refused({ activeTools: ['search', 'find'] })).toBe(
        `options.activeTools: the agent has no tool "find"; ${known}`,
      )
      expect(await refused({ toolChoice: { type: 'tool', toolName: 'find' } })).toBe(
        `options.toolChoice: the agent has no tool "find"; ${known}`,
      )
      expect(await refused({ toolChoice: { type: 'tool', toolName: 'done' }, activeTools: ['search'] })).toBe(
        'options.toolChoice: the tool "done" must be in activeTools',
      )
      expect(await refused({ toolChoice: 'sometimes' })).toContain('options.toolChoice')
      expect(model.calls).toEqual([])
      expect(await dataOf<unknown[]>(server.request('/agents/clerk/history'))).toEqual([])
    },
  )

  it('choose only among activeTools of the agent', async () => {
    serve(['ok'], { activeTools: ['search'] })
    const refused = (options: object) =>
      refusalOf(server.post('/agents/clerk/text', { input: 'Hi', options }), 400)
    expect(await refused({ activeTools: ['pay'] })).toBe(
      'options.activeTools: the agent has no tool "pay"; its tools are search',
    )
    expect(await refused({ toolChoice: { type: 'tool', toolName: 'done' } })).toBe(
      'options.toolChoice: the agent has no tool "done"; its tools are search',
    )
  })

  it('know the tools that a function returns for the request', async () => {
    const { model } = serve(['ok'], { tools: ({ context }) => (context['more'] ? [tool('more')] : []) })
    const ask = (context: object) =>
      server.post('/agents/clerk/text', { input: 'Hi', options: { activeTools: ['more'], context } })
    expect(await refusalOf(ask({}), 400)).toBe(
      'options.activeTools: the agent has no tool "more"; it has none',
    )
    expect((await ask({ more: true })).status).toBe(200)
    expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(['more'])
  })

  it('hold also after an approval', async () => {
    const { model } = serve([calling('pay'), 'Paid.'])
    const options = { activeTools: ['pay'] }
    const { id, approvals } = await dataOf<Answer>(
      server.post('/agents/clerk/text', { input: 'Hi', options }),
    )
    const decided = { approvals: [{ approvalId: approvals[0]?.approvalId, approved: true }] }
    const answer = await dataOf<Answer>(server.post(`/agents/clerk/runs/${id}/approvals`, decided))
    expect(answer).toMatchObject({ text: 'Paid.' })
    expect(model.calls.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([['pay'], ['pay']])
  })
})

describe('stopWhen and prepareStep of an agent', () => {
  it('see the whole answer after an approval', async () => {
    const seen: [number, number][] = []
    const { agent } = serve([calling('search'), calling('pay'), calling('done'), 'too late'], {
      stopWhen: ({ steps }) =>
        steps.some(({ toolCalls }) => toolCalls.some((call) => call.toolName === 'done')),
      prepareStep: ({ stepNumber, steps }) => void seen.push([stepNumber, steps.length]),
    })
    const { id, approvals } = await dataOf<Answer>(server.post(`/agents/${agent.id}/text`, { input: 'Hi' }))
    const decided = { approvals: [{ approvalId: approvals[0]?.approvalId, approved: true }] }
    const answer = await dataOf<Answer>(server.post(`/agents/${agent.id}/runs/${id}/approvals`, decided))
    expect(answer).toMatchObject({ text: '', finishReason: 'tool-calls' })
    expect(seen).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ])
  })

  it('end a streamed response with its tool results', async () => {
    serve([calling('done'), 'too late'], { stopWhen: () => true })
    const parts = await partsOf(server.post('/agents/clerk/stream', { input: 'Hi' }))
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'tool-calls' })
    expect(parts.filter(({ type }) => type === 'tool-result')).toMatchObject([{ output: 'done result' }])
    const [run] = await dataOf<object[]>(server.request('/agents/clerk/history'))
    expect(run).toMatchObject({ status: 'completed', output: '', finishReason: 'tool-calls' })
  })

  it.each(['stopWhen', 'prepareStep'] as const)('fail the response when %s throws', async (option) => {
    const fail = () => {
      throw new Error('no luck')
    }
    serve([calling('search'), calling('search')], { [option]: fail })
    const message = `The function "${option}" of agent "clerk" failed`
    expect(await refusalOf(server.post('/agents/clerk/text', { input: 'Hi' }), 500)).toBe(message)
    const parts = await partsOf(server.post('/agents/clerk/stream', { input: 'Hi' }))
    expect(parts.at(-1)).toEqual({ type: 'error', error: message })
    const history = await dataOf<object[]>(server.request('/agents/clerk/history'))
    expect(history).toMatchObject([
      { status: 'error', error: message },
      { status: 'error', error: message },
    ])
    expect(server.logs.map(({ err }) => (err as { message?: string } | undefined)?.message)).toContain(
      'no luck',
    )
  })

  it('apply to the answer of a step, whose costs are those of the model that was chosen', async () => {
    const large = scriptedModel(['From the large model'], { modelId: 'large' })
    serve([calling('search')], {
      prepareStep: ({ stepNumber }) => (stepNumber === 0 ? {} : { model: large, toolChoice: 'none' }),
    })
    const done = await server.execute('desk')
    expect(done).toMatchObject({ status: 'completed', result: { text: 'From the large model' } })
    expect(large.calls[0]?.toolChoice).toEqual({ type: 'none' })
    const [run] = await dataOf<object[]>(server.request('/agents/clerk/history'))
    expect(run).toMatchObject({ model: 'scripted/large' })
  })

  it('apply to a sub-agent, not to the agent that calls it', async () => {
    const model = scriptedModel([calling('search')])
    const helper = createAgent({
      id: 'helper',
      name: 'Helper',
      instructions: 'Help.',
      model,
      tools: [tool('search')],
      toolChoice: 'required',
      stopWhen: () => true,
    })
    const ask = { toolCalls: [{ toolName: 'ask_helper', input: { prompt: 'Search' } }] }
    const { model: own } = serve([ask, 'Asked.'], { tools: [], subAgents: [helper] })
    expect(await dataOf<Answer>(server.post('/agents/clerk/text', { input: 'Hi' }))).toMatchObject({
      text: 'Asked.',
    })
    expect(model.calls[0]?.toolChoice).toEqual({ type: 'required' })
    expect(own.calls[0]?.toolChoice).toEqual({ type: 'auto' })
  })

  it('leave out of a trial what it does not have, and keep its changes', async () => {
    const helper = createAgent({ id: 'helper', name: 'Helper', instructions: 'x', model: scriptedModel([]) })
    const trial = scriptedModel(['tried'], { modelId: 'trial' })
    const other = scriptedModel([], { modelId: 'other' })
    const { model } = serve([], {
      model: [scriptedModel([]), trial],
      subAgents: [helper],
      toolChoice: { type: 'tool', toolName: 'ask_helper' },
      activeTools: ['ask_helper', 'search', 'done'],
      prepareStep: () => ({ model: other, activeTools: ['ask_helper', 'done'], instructions: 'own' }),
    })
    expect(model.calls).toEqual([])
    const body = { input: 'Hi', model: 'scripted/trial', instructions: 'Be brief.', tools: ['done'] }
    const parts = await partsOf(server.post('/observability/agents/clerk/trials', body))
    expect(parts.at(-1)).toMatchObject({ type: 'finish' })
    expect(trial.calls[0]?.tools?.map(({ name }) => name)).toEqual(['done'])
    expect(trial.calls[0]?.toolChoice).toEqual({ type: 'auto' })
    expect(trial.calls[0]?.prompt[0]).toMatchObject({ role: 'system', content: 'Be brief.' })
  })
})
