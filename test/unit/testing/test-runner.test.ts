import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AgentConfig } from '../../../src/agent/agent.ts'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { createTool } from '../../../src/agent/tools/create-tool.ts'
import { jwtAuth } from '../../../src/auth/jwt-auth.ts'
import type { AgentServerConfig } from '../../../src/config/config.ts'
import { createMcpServer } from '../../../src/mcp/served/served-server.ts'
import { createTestRunner, scriptedModel, type TestRunner } from '../../../src/testing/index.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'

const whoAmI = createTool({
  name: 'who-am-i',
  description: 'Returns the id of the user',
  inputSchema: z.object({}),
  execute: (_, { user }) => user?.id ?? 'nobody',
})
const clerk = (answers: Parameters<typeof scriptedModel>[0]) =>
  createAgent({
    id: 'clerk',
    name: 'Clerk',
    instructions: 'Help',
    model: scriptedModel(answers),
    tools: [whoAmI],
  })
const approval = createWorkflow({ id: 'approval', inputSchema: z.object({ cents: z.number() }) }).andThen({
  id: 'approve',
  resumeSchema: z.object({ ok: z.boolean() }),
  execute: ({ data, user, resumeData, suspend }) => {
    if (!resumeData) return suspend('Waits for approval')
    return { ...data, ...resumeData, role: String(user?.role) }
  },
})
const failing = createWorkflow({ id: 'failing' }).andThen({
  id: 'break',
  execute: (): string => {
    throw new TypeError('out of paper')
  },
})

describe('a test runner', () => {
  let runner: TestRunner | undefined
  afterEach(() => runner?.close())
  const start = (config: AgentServerConfig) => (runner = createTestRunner({ config }))

  it.each<[string, AgentServerConfig]>([
    ['no auth', {}],
    ['authNext', { authNext: { provider: jwtAuth({ secret: 'a secret that nobody in the test knows' }) } }],
    ['the legacy auth', { auth: jwtAuth({ secret: 'a secret that nobody in the test knows' }) }],
  ])('runs a workflow as a user, with %s', async (_, auth) => {
    const started = start({ ...auth, workflows: [approval] })
    const waiting = await started.run(approval, { cents: 5 }, { user: { id: 'ada', role: 'clerk' } })
    expect(waiting).toMatchObject({ status: 'suspended', error: undefined })
    const done = await waiting.resume({ ok: true })
    expect(done.result).toEqual({ cents: 5, ok: true, role: 'clerk' })
    expect(await done.record()).toMatchObject({ userId: 'ada' })
  })

  it('runs a workflow without a user, whatever the auth provider', async () => {
    const started = start({
      authNext: { provider: jwtAuth({ secret: 'a secret that nobody in the test knows' }) },
      workflows: [approval],
    })
    const done = await (await started.run(approval, { cents: 5 })).resume({ ok: true })
    expect(done.result).toMatchObject({ role: 'undefined' })
  })

  it('records who resumed an execution', async () => {
    const started = start({ workflows: [approval] })
    const waiting = await started.run(approval, { cents: 5 }, { user: { id: 'ada' } })
    const done = await waiting.resume({ ok: true }, { user: { id: 'grace' } })
    expect(await done.record()).toMatchObject({ userId: 'ada', resumedBy: 'grace' })
  })

  it('has the error of a failed execution, with its step', async () => {
    const started = start({ workflows: [failing] })
    const failed = await started.run(failing, {})
    expect(failed).toMatchObject({ status: 'error', result: null })
    expect(failed.error).toMatchObject({ name: 'TypeError', message: 'out of paper', stepId: 'break' })
  })

  it('serves the agents, tools and MCP servers of the configuration', async () => {
    const agent = clerk([{ toolCalls: [{ toolName: 'who-am-i', input: {} }] }, 'You are Ada.'])
    const started = start({
      agents: [agent],
      tools: [whoAmI],
      mcpServers: [createMcpServer({ id: 'desk', name: 'Desk', tools: [whoAmI] })],
    })
    const answer = await started.clientOf({ id: 'ada' }).api.generateText({
      params: { id: 'clerk' },
      body: { input: 'Who am I?' },
    })
    expect(answer).toMatchObject({ text: 'You are Ada.', toolResults: [{ output: 'ada' }] })
    const called = await started.client.api.executeTool({ params: { name: 'who-am-i' }, body: { input: {} } })
    expect(called.result).toBe('nobody')
    expect(await started.client.api.listMcpTools({ params: { serverId: 'desk' } })).toMatchObject([
      { name: 'who-am-i' },
    ])
  })

  it('applies the access rules of the configuration to its users', async () => {
    const started = start({
      authNext: {
        provider: jwtAuth({ secret: 'a secret that nobody in the test knows' }),
        publicRoutes: ['GET /agents'],
      },
      workflows: [approval],
    })
    const ada = started.clientOf({ id: 'ada' })
    await expect(ada.api.listWorkflows()).rejects.toMatchObject({ status: 401 })
    expect(await ada.api.listAgents()).toEqual([])
    expect(await started.client.api.listWorkflows()).toMatchObject([{ id: 'approval' }])
  })

  it('asks authorize of the configuration about its users, and reads records of all', async () => {
    const started = start({
      authNext: {
        provider: jwtAuth({ secret: 'a secret that nobody in the test knows' }),
        authorize: ({ user, action }) => action === 'execute' || user?.role === 'manager',
      },
      workflows: [approval],
    })
    const waiting = await started.run(approval, { cents: 5 }, { user: { id: 'ada' } })
    await expect(waiting.resume({ ok: true })).rejects.toMatchObject({ status: 404 })
    const done = await waiting.resume({ ok: true }, { user: { id: 'grace', role: 'manager' } })
    expect(done.status).toBe('completed')
    expect(await done.record()).toMatchObject({ startedBy: 'ada', resumedBy: 'grace' })
  })

  it('refuses an agent with the id of one that is used, which would not be called', () => {
    const asking = createWorkflow({ id: 'asking' }).andAgent({
      id: 'ask',
      agent: clerk(['real']),
      prompt: 'Hello',
    })
    const message = (where: string) =>
      `createTestRunner: agents has an agent "clerk", and the ${where} another one with this id`
    const agents = [clerk(['scripted'])]
    expect(() => createTestRunner([asking], { agents })).toThrow(message('workflows'))
    expect(() => createTestRunner({ config: { workflows: [asking] } }, { agents })).toThrow(
      message('workflows'),
    )
    expect(() => createTestRunner({ config: { agents: [clerk(['real'])] } }, { agents })).toThrow(
      message('configuration'),
    )
  })

  it('serves its agents beside those of the configuration', async () => {
    runner = createTestRunner({ config: { workflows: [approval] } }, { agents: [clerk(['Hello'])] })
    const answer = await runner.client.api.generateText({ params: { id: 'clerk' }, body: { input: 'Hi' } })
    expect(answer.text).toBe('Hello')
  })

  it('refuses two agents with one id, of which one would never be called', () => {
    expect(() => createTestRunner([], { agents: [clerk(['one']), clerk(['two'])] })).toThrow('clerk')
  })

  it('never opens the database of the configuration', async () => {
    const started = start({ database: 'file:/dev/null/data.db', workflows: [approval] })
    expect((await started.run(approval, { cents: 5 })).status).toBe('suspended')
  })
})

describe('the models of a test runner', () => {
  const real = () => {
    throw new Error('a real model was called')
  }
  const agent = (id: string, more: Partial<AgentConfig> = {}) =>
    createAgent({ id, name: id, description: id, instructions: 'x', model: scriptedModel([real]), ...more })
  const researcher = agent('researcher')
  const editor = agent('editor')
  const writer = agent('writer', {
    model: real,
    subAgents: [researcher],
    prepareStep: () => ({ model: scriptedModel([real]) }),
  })
  const article = createWorkflow({ id: 'article' })
    .andAgent({ id: 'write', agent: writer, prompt: 'Write' })
    .andThen({
      id: 'edit',
      execute: async ({ data, step }) => (await step.agent('ask', editor, { prompt: data.text })).text,
    })
  const listed = createWorkflow({
    id: 'listed',
    uses: [editor],
    run: async ({ step }) => (await step.agent('ask', editor, { prompt: 'Edit' })).text,
  })
  let runner: TestRunner | undefined
  afterEach(() => runner?.close())

  it('replace those of andAgent, of step.agent, and of sub-agents', async () => {
    const models = {
      writer: scriptedModel([
        { toolCalls: [{ toolName: 'ask_researcher', input: { prompt: 'Find' } }] },
        'A draft.',
      ]),
      researcher: scriptedModel(['Facts.'], { modelId: 'facts' }),
      editor: scriptedModel([({ prompt }) => `Edited: ${JSON.stringify(prompt.at(-1)?.content)}`]),
    }
    runner = createTestRunner({ config: { workflows: [article], agents: [editor] } }, { models })
    const { result, error } = await runner.run(article, {})
    expect({ result, error }).toMatchObject({ result: expect.stringMatching(/^Edited: .*A draft\./) })
    expect(models.researcher.prompts).toEqual(['Find'])
    const runs = await runner.client.api.listAgentHistory({ params: { id: 'researcher' } })
    expect(runs).toMatchObject([{ model: 'scripted/facts', output: 'Facts.' }])
  })

  it('replace those of agents that functions use, and of agents that are called over HTTP', async () => {
    const models = { editor: scriptedModel(['one', 'two']) }
    runner = createTestRunner({ config: { workflows: [listed], agents: [editor] } }, { models })
    expect((await runner.run(listed, {})).result).toBe('one')
    const answer = await runner.client.api.generateText({ params: { id: 'editor' }, body: { input: 'Hi' } })
    expect(answer.text).toBe('two')
  })

  it('are one for all agents without one of their own', async () => {
    const model = scriptedModel(['default'], { repeatLast: true })
    runner = createTestRunner([article], { models: { writer: scriptedModel(['draft']) }, model })
    expect((await runner.run(article, {})).result).toBe('default')
    expect(model.prompts).toEqual(['draft'])
  })

  it('hold for agents that are added, and need no keys', async () => {
    const added = agent('added', { model: 'openai/gpt-4.1-mini' })
    runner = createTestRunner([], { agents: [added], models: { added: scriptedModel(['scripted']) } })
    const answer = await runner.client.api.generateText({ params: { id: 'added' }, body: { input: 'Hi' } })
    expect(answer).toMatchObject({ text: 'scripted', model: 'scripted/scripted' })
  })

  it('are refused for an agent that is not there, with the ids of those that are', () => {
    expect(() => createTestRunner([article], { models: { writter: scriptedModel([]) } })).toThrow(
      'createTestRunner(): models has "writter", and there is no agent with this id: there are writer, researcher. An agent that only step.agent calls must be in uses of its workflow',
    )
    expect(() => createTestRunner([], { models: { writer: scriptedModel([]) } })).toThrow(
      'there are no agents',
    )
  })

  it('are refused when they are no models', () => {
    expect(() => createTestRunner([article], { models: { writer: {} as never } })).toThrow(
      "createTestRunner(): models.writer: model must be a model of the AI SDK or a 'provider/model' string",
    )
    expect(() => createTestRunner([article], { model: 'gpt' as never })).toThrow(
      'createTestRunner(): model: model "gpt"',
    )
  })
})

describe('settled() of an execution', () => {
  let runner: TestRunner | undefined
  afterEach(() => runner?.close())
  const asking = createWorkflow({ id: 'asking' })
    .andThen({
      id: 'first',
      resumeSchema: z.object({ n: z.number() }),
      execute: ({ resumeData, suspend }) => resumeData ?? suspend('first'),
    })
    .andThen({
      id: 'second',
      resumeSchema: z.object({ n: z.number() }),
      execute: ({ resumeData, suspend }) => {
        if (resumeData?.n === 0) throw new Error('zero')
        return resumeData ?? suspend('second')
      },
    })

  it('is the state itself while nothing has happened since', async () => {
    runner = createTestRunner([asking, failing])
    const waiting = await runner.run(asking, {})
    expect(await waiting.settled()).toMatchObject({ status: 'suspended', suspension: { reason: 'first' } })
    expect(await (await runner.run(failing, {})).settled()).toMatchObject({ status: 'error' })
  })

  it('is the latest state after a resume, by any handle and by any client', async () => {
    runner = createTestRunner([asking])
    const waiting = await runner.run(asking, {})
    const second = await waiting.resume({ n: 1 })
    for (const handle of [waiting, second])
      expect(await handle.settled()).toMatchObject({ status: 'suspended', suspension: { reason: 'second' } })
    await runner.client.api.resumeExecution({
      params: { id: 'asking', executionId: waiting.executionId },
      body: { resumeData: { n: 2 } },
    })
    for (const handle of [waiting, second])
      expect(await handle.settled()).toMatchObject({ status: 'completed', result: { n: 2 } })
    const failed = await (await (await runner.run(asking, {})).resume({ n: 1 })).resume({ n: 0 })
    expect(await failed.settled()).toMatchObject({ status: 'error', error: { message: 'zero' } })
  })

  it('is cancelled after a cancel', async () => {
    runner = createTestRunner([asking])
    const waiting = await runner.run(asking, {})
    await runner.client.api.cancelExecution({
      params: { id: 'asking', executionId: waiting.executionId },
      body: {},
    })
    expect(await waiting.settled()).toMatchObject({ status: 'cancelled', result: null })
  })
})
