import { createAgent, createMcpServer, createTool, createWorkflow } from 'agentserver'
import type { Agent } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ExecutionDetail } from '../../src/contract/endpoints/execution.ts'
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
  'Agent "guide" asked its sub-agent "scout", which called the tool "locate": it has no execute, and a sub-agent has no client that could execute it. Give "locate" an execute function, or move it to the tools of "guide"'

const AT_LOAD =
  'agent "guide": its sub-agent "scout" has the tool "locate" without execute, and a sub-agent has no client that could execute it. Give "locate" an execute function, or move it to the tools of "guide"'

const messages = [{ id: 'one', role: 'user', parts: [{ type: 'text', text: 'Where am I?' }] }]

describe('a tool of the client in a sub-agent that is also an agent of its own', () => {
  let server: TestServer
  afterEach(() => server.close())
  const serve = (config: object = {}) => {
    const helper = scout()
    const guide = ask(helper, 'guide')
    server = new TestServer({ workflows: [], agents: [guide, helper], ...config })
    return { guide, helper }
  }

  it('fails the response with the names of both agents, of the tool, and with the fix', async () => {
    const { guide } = serve()
    expect(await refusalOf(server.post('/agents/guide/text', { input: 'Where?' }), 500)).toBe(AT_CALL)
    const history = (id: string) => dataOf<object[]>(server.request(`/agents/${id}/history`))
    expect(await history('guide')).toMatchObject([{ status: 'error', error: AT_CALL }])
    expect(await history('scout')).toMatchObject([{ status: 'error', error: AT_CALL }])
    expect((guide.model as ReturnType<typeof scriptedModel>).calls).toHaveLength(1)
  })

  it('ends a stream and a chat with the error', async () => {
    serve()
    const stream = await (await server.post('/agents/guide/stream', { input: 'Where?' })).text()
    expect(stream).toContain(`data: ${JSON.stringify({ type: 'error', error: AT_CALL })}`)
    expect(stream).not.toContain('"type":"finish"')
    await server.close()
    serve()
    const chat = await (await server.post('/agents/guide/chat', { id: 'trip', messages })).text()
    expect(chat).toContain(`data: ${JSON.stringify({ type: 'error', errorText: AT_CALL })}`)
    expect(chat).not.toContain('"type":"finish"')
    expect(chat).not.toContain('sorry')
  })

  it('fails the execution of an andAgent step, which is not retried', async () => {
    const helper = scout()
    const guide = ask(helper, 'guide')
    const trip = createWorkflow({ id: 'trip' }).andAgent({
      id: 'plan',
      agent: guide,
      prompt: 'Where?',
      retries: { limit: 3, delayMs: 1 },
    })
    server = new TestServer({ workflows: [trip], agents: [helper] })
    expect((await server.post('/workflows/trip/execute', { input: {} })).status).toBe(500)
    const [execution] = await dataOf<ExecutionDetail[]>(
      server.request('/workflows/executions?workflowId=trip'),
    )
    const record = server.request(`/workflows/trip/executions/${execution?.id}`)
    expect(await dataOf<object>(record)).toMatchObject({
      status: 'error',
      error: { message: AT_CALL, stepId: 'plan' },
      steps: [{ stepId: 'plan', status: 'error', attempts: 1 }],
    })
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

describe('a tool of the client in an agent that is only a sub-agent', () => {
  const load = (config: object) => {
    const server = new TestServer({ workflows: [], ...config })
    return server.close()
  }

  it.each<[string, () => object]>([
    ['agents', () => ({ agents: [ask(scout(), 'guide')] })],
    ['a sub-agent of agents', () => ({ agents: [ask(ask(scout(), 'guide'), 'top')] })],
    [
      'a step',
      () => ({
        workflows: [
          createWorkflow({ id: 'trip' }).andAgent({
            id: 'plan',
            agent: ask(scout(), 'guide'),
            prompt: 'Where?',
          }),
        ],
      }),
    ],
    [
      'a served MCP server',
      () => ({
        mcpServers: [
          createMcpServer({
            id: 'travel',
            name: 'Travel',
            version: '1.0.0',
            agents: [ask(scout(), 'guide')],
          }),
        ],
      }),
    ],
  ])('of an agent in %s is refused when the configuration is loaded', (_, config) => {
    expect(() => load(config())).toThrow(AT_LOAD)
  })

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
