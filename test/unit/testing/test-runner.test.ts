import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
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
    const answer = await started.clientOf({ id: 'ada' }).generateText({
      params: { id: 'clerk' },
      body: { input: 'Who am I?' },
    })
    expect(answer).toMatchObject({ text: 'You are Ada.', toolResults: [{ output: 'ada' }] })
    const called = await started.client.executeTool({ params: { name: 'who-am-i' }, body: { input: {} } })
    expect(called.result).toBe('nobody')
    expect(await started.client.listMcpTools({ params: { serverId: 'desk' } })).toMatchObject([
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
    await expect(ada.listWorkflows()).rejects.toMatchObject({ status: 401 })
    expect(await ada.listAgents()).toEqual([])
    expect(await started.client.listWorkflows()).toMatchObject([{ id: 'approval' }])
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
    const answer = await runner.client.generateText({ params: { id: 'clerk' }, body: { input: 'Hi' } })
    expect(answer.text).toBe('Hello')
  })

  it('never opens the database of the configuration', async () => {
    const started = start({ database: 'file:/dev/null/data.db', workflows: [approval] })
    expect((await started.run(approval, { cents: 5 })).status).toBe('suspended')
  })
})
