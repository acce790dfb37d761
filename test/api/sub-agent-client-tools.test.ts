import { createAgent, createTool, createWorkflow } from 'agentserver'
import type { Agent } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const locate = createTool({ name: 'locate', description: 'The place of the user', inputSchema: z.object({}) })
const here = createTool({
  name: 'here',
  description: 'The place of the server',
  inputSchema: z.object({}),
  execute: () => 'Bonn',
})

/** An agent that calls the tool of its client, then answers. */
const scout = (tools: readonly (typeof locate | typeof here)[] = [locate]) =>
  createAgent({
    id: 'scout',
    name: 'Scout',
    description: 'Knows where the user is',
    instructions: 'Locate.',
    model: scriptedModel([{ toolCalls: [{ toolName: 'locate', input: {} }] }, 'I could not find out.']),
    tools,
  })

const ask = (subAgent: Agent, id: string) =>
  createAgent({
    id,
    name: id,
    description: `Asks ${subAgent.id}`,
    instructions: 'Ask.',
    model: scriptedModel([
      { toolCalls: [{ toolName: `ask_${subAgent.id}`, input: { prompt: 'Where?' } }] },
      'The tool did not work, sorry.',
    ]),
    subAgents: [subAgent],
  })

const AT_CALL =
  'Agent "guide" asked its sub-agent "scout", which called the tool "locate": it has no execute, and this answer has no client that could execute it. Ask "guide" over /chat or in an andAgent step, or give "locate" an execute function'

interface Part {
  readonly type: string
  readonly toolName?: string
  readonly toolCallId?: string
  readonly messageId?: string
}

const messages = [{ id: 'one', role: 'user', parts: [{ type: 'text', text: 'Where am I?' }] }]

/** The last prompt of the agent's model. */
const lastPrompt = ({ model }: Agent) =>
  JSON.stringify((model as ReturnType<typeof scriptedModel>).calls.at(-1)?.prompt)

describe('a tool of the client in a sub-agent', () => {
  let server: TestServer
  afterEach(() => server.close())
  const serve = (config: object = {}) => {
    const helper = scout()
    const guide = ask(helper, 'guide')
    server = new TestServer({ workflows: [], agents: [guide, helper], ...config })
    return { guide, helper }
  }

  it('fails a response that has no client with the names of both agents, of the tool, and with the fix', async () => {
    const { guide } = serve()
    expect(await refusalOf(server.post('/agents/guide/text', { input: 'Where?' }), 500)).toBe(AT_CALL)
    const history = (id: string) => dataOf<object[]>(server.request(`/agents/${id}/history`))
    expect(await history('guide')).toMatchObject([{ status: 'error', error: AT_CALL }])
    expect(await history('scout')).toMatchObject([{ status: 'error', error: AT_CALL }])
    expect((guide.model as ReturnType<typeof scriptedModel>).calls).toHaveLength(1)
  })

  it('ends a stream with the error', async () => {
    serve()
    const stream = await (await server.post('/agents/guide/stream', { input: 'Where?' })).text()
    expect(stream).toContain(`data: ${JSON.stringify({ type: 'error', error: AT_CALL })}`)
    expect(stream).not.toContain('"type":"finish"')
  })

  it.each(['guide', 'top'])('reaches the client of a chat with %s, whose output goes back', async (id) => {
    const helper = scout()
    const guide = ask(helper, 'guide')
    const top = ask(guide, 'top')
    server = new TestServer({ workflows: [], agents: [guide, top] })
    const chat = (sent: readonly object[]) =>
      server.post(`/agents/${id}/chat`, { id: 'trip', messages: sent })
    const first = await (await chat(messages)).text()
    const parts = first
      .split('\n')
      .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as Part] : []))
    const call = parts.find(({ type, toolName }) => type === 'tool-input-available' && toolName === 'locate')
    expect(call).toMatchObject({ input: {}, dynamic: true })
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'tool-calls' })
    const { messageId } = parts.find(({ type }) => type === 'start') as Part
    const { toolCallId } = call as Part
    const part = {
      type: 'dynamic-tool',
      toolName: 'locate',
      toolCallId,
      state: 'output-available',
      input: {},
    }
    const answer = { id: messageId, role: 'assistant', parts: [{ ...part, output: { city: 'Bonn' } }] }
    const second = await (await chat([...messages, answer])).text()
    expect(second).toContain('"type":"finish"')
    expect(second).not.toContain('"type":"error"')
    expect(lastPrompt(helper)).toContain('Bonn')
    const history = await dataOf<object[]>(server.request(`/agents/${id}/history`))
    expect(history).toMatchObject([{ status: 'completed' }])
    const again = await chat([...messages, answer])
    expect(again.status).toBe(409)
  })

  it('suspends an andAgent step, which goes on with its output', async () => {
    const helper = scout()
    const trip = createWorkflow({ id: 'trip' }).andAgent({
      id: 'plan',
      agent: ask(helper, 'guide'),
      prompt: 'Where?',
    })
    server = new TestServer({ workflows: [trip], agents: [helper] })
    const { executionId, suspension } = await server.execute('trip')
    const { toolCalls = [] } = (suspension?.data ?? {}) as { toolCalls?: { toolCallId: string }[] }
    expect(toolCalls).toMatchObject([{ toolName: 'locate' }])
    const toolOutputs = toolCalls.map(({ toolCallId }) => ({ toolCallId, output: { city: 'Bonn' } }))
    const resume = (resumeData: object) =>
      server.post(`/workflows/trip/executions/${executionId}/resume`, { resumeData })
    expect(await refusalOf(resume({ toolOutputs: [] }), 400)).toContain('has no response')
    expect(await dataOf<object>(resume({ toolOutputs }))).toMatchObject({
      status: 'completed',
      result: { text: 'The tool did not work, sorry.' },
    })
    expect(lastPrompt(helper)).toContain('Bonn')
  })

  it('has the output checked by its schema', async () => {
    const strict = createTool({
      name: 'locate',
      description: 'The place of the user',
      inputSchema: z.object({}),
      outputSchema: z.object({ city: z.string() }),
    })
    const trip = createWorkflow({ id: 'trip' }).andAgent({
      id: 'plan',
      agent: ask(scout([strict]), 'guide'),
      prompt: 'Where?',
    })
    server = new TestServer({ workflows: [trip], agents: [] })
    const { executionId, suspension } = await server.execute('trip')
    const { toolCalls = [] } = (suspension?.data ?? {}) as { toolCalls?: { toolCallId: string }[] }
    const toolOutputs = toolCalls.map(({ toolCallId }) => ({ toolCallId, output: { city: 1 } }))
    const refused = server.post(`/workflows/trip/executions/${executionId}/resume`, {
      resumeData: { toolOutputs },
    })
    expect(await refusalOf(refused, 400)).toContain('resumeData.toolOutputs[0].output.city')
  })

  it('fails the agents above the one that asked, too', async () => {
    const helper = scout()
    const top = ask(ask(helper, 'guide'), 'top')
    server = new TestServer({ workflows: [], agents: [top, helper] })
    expect(await refusalOf(server.post('/agents/top/text', { input: 'Where?' }), 500)).toBe(AT_CALL)
  })

  it('is left to the client when the agent is asked itself', async () => {
    serve()
    const chat = await (await server.post('/agents/scout/chat', { id: 'trip', messages })).text()
    expect(chat).toContain('"toolName":"locate"')
    expect(chat).toContain('"type":"finish"')
    expect(chat).not.toContain('"type":"error"')
  })

  it('suspends an andAgent step of the agent itself', async () => {
    const helper = scout()
    const find = createWorkflow({ id: 'find' }).andAgent({ id: 'ask', agent: helper, prompt: 'Where?' })
    server = new TestServer({ workflows: [find], agents: [ask(helper, 'guide')] })
    expect(await server.execute('find')).toMatchObject({
      status: 'suspended',
      suspension: { data: { toolCalls: [{ toolName: 'locate' }] } },
    })
  })

  it('does not matter while the sub-agent does not call it', async () => {
    const helper = createAgent({
      id: 'scout',
      name: 'Scout',
      instructions: 'Locate.',
      model: scriptedModel([{ toolCalls: [{ toolName: 'here', input: {} }] }, 'In Bonn.']),
      tools: [locate, here],
    })
    server = new TestServer({ workflows: [], agents: [ask(helper, 'guide'), helper] })
    const answer = await server.post('/agents/guide/text', { input: 'Where?' })
    expect(answer.status).toBe(200)
  })
})

describe('a tool of the client in a sub-agent whose tools are a function', () => {
  it('is found at the call when a function of the request returns it', async () => {
    const model = scriptedModel([{ toolCalls: [{ toolName: 'locate', input: {} }] }, 'I could not find out.'])
    const perRequest = createAgent({
      id: 'scout',
      name: 'Scout',
      instructions: 'Locate.',
      model,
      tools: () => [locate],
    })
    const server = new TestServer({ workflows: [], agents: [ask(perRequest, 'guide')] })
    expect(await refusalOf(server.post('/agents/guide/text', { input: 'Where?' }), 500)).toBe(AT_CALL)
    await server.close()
  })
})
