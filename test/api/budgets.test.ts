import { andAgent, createAgent, createTool, createWorkflow } from 'agentserver'
import type { AgentServerConfig, Budget } from 'agentserver'
import { scriptedModel, type ScriptedAnswer } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AgentAnswer, AgentRunRecord } from '../../src/contract/endpoints/agent.ts'
import type { Costs } from '../../src/contract/endpoints/usage.ts'
import { messagesOf } from '../support/server/event-stream.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

/** $0.004. A call is estimated at about $0.01, as its 1,000 tokens of output cost so much. */
const usage = { inputTokens: 1000, outputTokens: 200 }
const prices = { 'scripted/priced': { input: 2, output: 10 }, 'scripted/cheap': { input: 1, output: 1 } }

const modelOf = (modelId: string, script: readonly ScriptedAnswer[]) =>
  scriptedModel(
    script.map((answer) => (typeof answer === 'string' ? { text: answer, usage } : answer)),
    { modelId, repeatLast: true },
  )
const priced = (...script: readonly ScriptedAnswer[]) => modelOf('priced', script)
const agentOf = (id: string, model: ReturnType<typeof scriptedModel>, options: object = {}) =>
  createAgent({ id, name: id, instructions: 'x', model, ...options })

const servers: TestServer[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))
function serve(config: AgentServerConfig, options: { production?: boolean } = {}): TestServer {
  const server = new TestServer({ prices, ...config }, options)
  servers.push(server)
  return server
}
const clerkWith = (budgets: readonly Budget[], options: { production?: boolean } = {}) => {
  const model = priced('Hello')
  return { model, server: serve({ agents: [agentOf('clerk', model, { budgets })] }, options) }
}
const ask = (server: TestServer, id = 'clerk', options: object = {}) =>
  server.post(`/agents/${id}/text`, { input: 'Hi', options })
const statusesOf = async (responses: readonly Promise<Response>[]) =>
  (await Promise.all(responses)).map(({ status }) => status)
const call = (toolName: string, input: unknown): ScriptedAnswer => ({
  toolCalls: [{ toolName, input }],
  usage,
})

describe('a budget', () => {
  it('fails the call that would exceed it, with a 429 that says what is used and how to go on', async () => {
    const { server, model } = clerkWith([{ per: 'agent', usd: 0.02, every: '24h' }])
    expect(await statusesOf([ask(server)])).toEqual([200])
    expect(await statusesOf([ask(server)])).toEqual([200])
    expect(await statusesOf([ask(server)])).toEqual([200])
    const refused = await ask(server)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toEqual({
      success: false,
      error: expect.stringMatching(
        /^The budget of agent "clerk", per agent, every 24h does not allow the next call: \$0\.012 of \$0\.02 is used, and it may cost \$0\.01\d*\. Raise "usd" in its "budgets", or try again in \d+ s$/,
      ),
    })
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(23 * 3600)
    expect(seconds).toBeLessThanOrEqual(24 * 3600)
    expect(model.calls).toHaveLength(3)
    const [run] = await dataOf<AgentRunRecord[]>(server.request('/agents/clerk/history'))
    expect(run).toMatchObject({
      status: 'error',
      error: expect.stringContaining('does not allow the next call'),
    })
  })

  it('has no Retry-After when no time makes the call fit', async () => {
    const { server } = clerkWith([{ per: 'user', usd: 0.001, every: '24h' }])
    const refused = await ask(server)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null])
  })

  it('tells callers in production neither limits nor what others have used', async () => {
    const { server } = clerkWith([{ per: 'user', tokens: 10, every: '24h' }], { production: true })
    const refused = await ask(server)
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { success: false, error: 'The budget for this request is used up' },
    ])
  })

  it('of each user leaves the others theirs; requests without a user share one', async () => {
    const { server } = clerkWith([{ per: 'user', tokens: 1500, every: '1h' }])
    const statuses = []
    for (const userId of ['ann', 'ann', 'bob', undefined, undefined])
      statuses.push(...(await statusesOf([ask(server, 'clerk', userId === undefined ? {} : { userId })])))
    expect(statuses).toEqual([200, 429, 200, 200, 429])
  })

  it('of tokens is estimated by maxOutputTokens', async () => {
    const { server } = clerkWith([{ per: 'user', tokens: 300, every: '1h' }])
    expect(await statusesOf([ask(server)])).toEqual([429])
    expect(await statusesOf([ask(server, 'clerk', { maxOutputTokens: 100 })])).toEqual([200])
  })

  it('counts calls of models without a price as nothing', async () => {
    const model = modelOf('unpriced', ['Hello'])
    const server = serve({
      agents: [agentOf('clerk', model, { budgets: [{ per: 'agent', usd: 0.000001, every: '1h' }] })],
    })
    expect(await statusesOf([ask(server), ask(server)])).toEqual([200, 200])
  })

  it('ends a stream with an error part', async () => {
    const { server } = clerkWith([{ per: 'run', tokens: 10 }])
    const parts = await messagesOf(server.post('/agents/clerk/stream', { input: 'Hi' }))
    expect(parts.at(-1)?.event).toMatchObject({
      type: 'error',
      error: expect.stringContaining('does not allow the next call'),
    })
  })

  it('counts calls of streams', async () => {
    const { server, model } = clerkWith([{ per: 'agent', tokens: 2400, every: '1h' }])
    for (let count = 0; count < 3; count++)
      await messagesOf(server.post('/agents/clerk/stream', { input: 'Hi' }))
    expect(model.calls).toHaveLength(2)
  })

  it('of a run counts all its calls, and those of the agents that it asks', async () => {
    const helper = agentOf('helper', priced('Help'))
    const lead = (tokens: number) =>
      agentOf('lead', priced(call('ask_helper', { prompt: 'Help' }), 'Done'), {
        subAgents: [helper],
        budgets: [{ per: 'run', tokens }],
      })
    // 1,200 tokens for each call, and at least 1,000 for the estimate of the last one
    for (const [tokens, status] of [
      [3800, 200],
      [3300, 429],
    ] as const)
      expect(await statusesOf([ask(serve({ agents: [lead(tokens)] }), 'lead')])).toEqual([status])
  })

  it('counts what tools have the model complete', async () => {
    const summarise = createTool({
      name: 'summarise',
      description: 'x',
      inputSchema: z.object({}),
      execute: async (_, { sample }) =>
        sample?.({ messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 10 }),
    })
    const model = priced(call('summarise', {}), 'Short', 'Done')
    const budgets: Budget[] = [{ per: 'run', tokens: 2300 }]
    const server = serve({ agents: [agentOf('clerk', model, { tools: [summarise], budgets })] })
    expect(await statusesOf([ask(server)])).toEqual([429])
    expect(model.calls).toHaveLength(2)
  })

  it('does not count calls that the provider refused', async () => {
    const model = priced(new Error('refused'), 'Hello')
    const server = serve({
      agents: [agentOf('clerk', model, { budgets: [{ per: 'agent', tokens: 1100, every: '1h' }] })],
    })
    expect(await statusesOf([ask(server)])).toEqual([500])
    expect(await statusesOf([ask(server)])).toEqual([200])
  })

  it('is shared by 64 requests at the same time', async () => {
    const { server, model } = clerkWith([{ per: 'project', tokens: 12_000, every: '24h' }])
    const statuses = await statusesOf(Array.from({ length: 64 }, () => ask(server)))
    // each is reserved with about 1,005 tokens, and settled with 1,200
    expect(model.calls.length).toBeLessThanOrEqual(11)
    expect(statuses.filter((status) => status === 200)).toHaveLength(model.calls.length)
    expect(statuses.filter((status) => status === 429)).toHaveLength(64 - model.calls.length)
  })
})

describe('a budget with a cheaper model', () => {
  it('goes on with it from the call that would exceed it', async () => {
    const cheap = modelOf('cheap', ['Cheap'])
    const tool = createTool({
      name: 'look',
      description: 'x',
      inputSchema: z.object({}),
      execute: () => 'seen',
    })
    const model = priced(call('look', {}), 'Expensive')
    const agent = agentOf('clerk', model, {
      tools: [tool],
      budgets: [{ per: 'run', usd: 0.013, onLimit: { model: cheap } }],
    })
    const server = serve({ agents: [agent] })
    const answer = await dataOf<AgentAnswer>(ask(server))
    expect(answer).toMatchObject({ text: 'Cheap', model: 'scripted/cheap' })
    expect([model.calls.length, cheap.calls.length]).toEqual([1, 1])
    expect(answer.usage.costUsd).toBe(0.0052)
  })

  it('limits it by other budgets only, in which its calls count', async () => {
    const cheap = modelOf('cheap', ['Cheap'])
    const { server, model } = clerkWith([
      { per: 'agent', tokens: 1100, every: '1h', onLimit: { model: cheap } },
      { per: 'user', tokens: 3600, every: '1h' },
    ])
    const statuses = []
    for (let count = 0; count < 4; count++) statuses.push(...(await statusesOf([ask(server)])))
    expect(statuses).toEqual([200, 200, 200, 429])
    expect([model.calls.length, cheap.calls.length]).toEqual([1, 2])
  })
})

describe('the budget of a workflow', () => {
  const steps = (budgets: readonly Budget[]) => {
    const agent = agentOf('clerk', priced('Hello'))
    const child = createWorkflow({ id: 'child' }).andAgent({ id: 'ask', agent, prompt: 'Hi' })
    return {
      agents: [agent],
      workflows: [
        createWorkflow({ id: 'order', budgets, retries: 3 }, andAgent({ id: 'one', agent, prompt: 'Hi' }))
          .andWorkflow({ id: 'two', workflow: child, input: () => ({}) })
          .andAgent({ id: 'three', agent, prompt: 'Hi' }),
      ],
    }
  }

  it('counts the agents of its steps and of the executions that it starts, of each execution', async () => {
    const server = serve(steps([{ per: 'run', tokens: 3500 }]))
    for (let count = 0; count < 2; count++)
      expect(await server.execute('order')).toMatchObject({ status: 'completed' })
  })

  it('fails the step, which is not retried', async () => {
    const server = serve(steps([{ per: 'run', tokens: 3300 }]))
    const failed = await server.post('/workflows/order/execute', { input: {} })
    expect(failed.status).toBe(500)
    const record = await server.record('order', failed.headers.get('x-execution-id') ?? '')
    expect(record).toMatchObject({
      status: 'error',
      error: {
        name: 'BudgetExceededError',
        stepId: 'three',
        message: expect.stringContaining('The budget of workflow "order", per run'),
      },
    })
    expect(record.steps.find(({ stepId }) => stepId === 'three')).toMatchObject({
      status: 'error',
      attempts: 1,
    })
  })

  it('does not count requests of callers', async () => {
    const server = serve(steps([{ per: 'project', tokens: 3500, every: '1h' }]))
    for (let count = 0; count < 3; count++) expect(await statusesOf([ask(server)])).toEqual([200])
    expect(await server.execute('order')).toMatchObject({ status: 'completed' })
    expect(await statusesOf([server.post('/workflows/order/execute', { input: {} })])).toEqual([500])
  })
})

describe('the budget of a configuration', () => {
  it('counts all agents together, or each by itself', async () => {
    const agents = [agentOf('one', priced('1')), agentOf('two', priced('2'))]
    const shared = serve({ agents, budgets: [{ per: 'project', tokens: 1500, every: '1h' }] })
    expect(await statusesOf([ask(shared, 'one')])).toEqual([200])
    expect(await statusesOf([ask(shared, 'two')])).toEqual([429])
    const own = serve({ agents, budgets: [{ per: 'agent', tokens: 1500, every: '1h' }] })
    expect(await statusesOf([ask(own, 'one')])).toEqual([200])
    expect(await statusesOf([ask(own, 'two')])).toEqual([200])
    expect(await statusesOf([ask(own, 'one')])).toEqual([429])
  })
})

describe('the use of budgets', () => {
  const budgets: Budget[] = [
    { per: 'user', usd: 0.02, tokens: 1_000_000, every: '24h' },
    { per: 'run', tokens: 5000 },
  ]
  const serveUsed = async () => {
    const agents = [
      agentOf('clerk', priced('Hello'), {
        budgets: [
          { per: 'agent', tokens: 2000, every: '2d', onLimit: { model: modelOf('cheap', ['Cheap']) } },
        ],
      }),
      agentOf('other', priced('Hello')),
    ]
    const server = serve({ agents, budgets })
    await ask(server, 'clerk', { userId: 'ann' })
    await ask(server, 'other', { userId: 'bob' })
    await ask(server, 'other', { userId: 'bob' })
    return server
  }

  it('is in the costs, of the user who has used most', async () => {
    const server = await serveUsed()
    const { budgets: used } = await dataOf<Costs>(server.request('/observability/costs'))
    expect(used).toEqual([
      {
        declaredOn: 'config',
        per: 'user',
        everyHours: 24,
        usd: 0.02,
        tokens: 1_000_000,
        onLimit: 'fail',
        subject: 'bob',
        usedUsd: 0.008,
        usedTokens: 2400,
        usedRatio: 0.4,
      },
      expect.objectContaining({ per: 'run', everyHours: null, subject: null, usedTokens: 0, usedRatio: 0 }),
      expect.objectContaining({
        declaredOn: 'agent clerk',
        everyHours: 48,
        onLimit: 'scripted/cheap',
        subject: 'clerk',
        usedTokens: 1200,
        usedRatio: 0.6,
      }),
    ])
    const ofClerk = await dataOf<Costs>(server.request('/observability/costs?agentId=clerk'))
    expect(ofClerk.budgets.map(({ declaredOn }) => declaredOn)).toEqual(['agent clerk'])
  })

  it('is a metric without the users, and so are the calls that budgets did not allow', async () => {
    const server = await serveUsed()
    await statusesOf([1, 2, 3].map(() => ask(server, 'other', { userId: 'bob' })))
    const text = await (await server.request('/observability/metrics')).text()
    expect(text).toMatch(
      /agentserver_budget_used_ratio\{declared_on="agent clerk",per="agent",every="48h"\} 0\.6\n/,
    )
    expect(text).toMatch(
      /agentserver_budget_used_ratio\{declared_on="config",per="user",every="24h"\} 0\.6\d*\n/,
    )
    expect(text).toMatch(/agentserver_budget_exceeded_total\{declared_on="config",per="user"\} 2\n/)
    expect(text).not.toContain('bob')
  })
})

describe('a budget in dollars', () => {
  const unpricedIn = async (config: AgentServerConfig) => {
    const server = serve(config)
    await server.ready()
    return server.logs.map(({ msg }) => msg)
  }
  const usd: Budget[] = [{ per: 'project', usd: 1, every: '24h' }]

  it('is warned of models without a price when it is loaded', async () => {
    const warning = (name: string) =>
      `The budgets of ${name} in "usd" do not count scripted/unpriced, which has no price: add it to "prices" in the configuration, or limit "tokens"`
    const agent = agentOf('clerk', modelOf('unpriced', []), { budgets: usd })
    const other = agentOf('other', priced())
    expect(await unpricedIn({ agents: [agent, other] })).toEqual([warning('agent "clerk"')])
    expect(await unpricedIn({ agents: [agentOf('clerk', modelOf('unpriced', []))], budgets: usd })).toEqual([
      warning('the configuration'),
    ])
    const workflow = createWorkflow({ id: 'order', budgets: usd }).andAgent({
      id: 'ask',
      agent: agentOf('clerk', modelOf('unpriced', [])),
      prompt: 'Hi',
    })
    expect(await unpricedIn({ workflows: [workflow] })).toEqual([warning('workflow "order"')])
    expect(await unpricedIn({ agents: [other], budgets: usd })).toEqual([])
    const tokens: Budget[] = [{ per: 'run', tokens: 1 }]
    expect(
      await unpricedIn({ agents: [agentOf('clerk', modelOf('unpriced', []))], budgets: tokens }),
    ).toEqual([])
  })
})
