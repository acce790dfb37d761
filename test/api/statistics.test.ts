import { andAgent, andThen, createAgent, createWorkflow } from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { WorkflowStatistics } from '../../src/contract/endpoints/statistics.ts'
import type { Costs, ExecutionCosts } from '../../src/contract/endpoints/usage.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'
import { TestClock } from '../support/test-clock.ts'

const usage = { inputTokens: 1000, outputTokens: 100 }
const prices = { 'scripted/priced': { input: 2, output: 10 } }
/** Of one call. */
const COST = 0.003
const priceOf = (calls: number) => (calls * 3) / 1000

const servers: TestServer[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))
function serve(config: AgentServerConfig, options: { clock?: TestClock } = {}): TestServer {
  const server = new TestServer({ prices, ...config }, options)
  servers.push(server)
  return server
}

const statisticsOf = async (at: TestServer, id: string) =>
  (await dataOf<WorkflowStatistics>(at.request(`/observability/workflows/${id}/statistics`))).steps
const costsOf = (at: TestServer, query = '') => dataOf<Costs>(at.request(`/observability/costs${query}`))

const modelOf = (modelId: string, ...script: Parameters<typeof scriptedModel>[0]) =>
  scriptedModel(script, { modelId, repeatLast: true })
const agentOf = (
  id: string,
  model: ReturnType<typeof modelOf>,
  subAgents: ReturnType<typeof createAgent>[] = [],
) => createAgent({ id, name: id, instructions: 'x', model, subAgents })

/** How much longer a step takes on a busy machine. */
const BUSY_MS = 1000

describe('the statistics of a workflow', () => {
  it('have the durations, runs and errors of its steps, rounds together', async () => {
    const clock = new TestClock()
    const order = createWorkflow({ id: 'order', name: 'Order', inputSchema: z.array(z.number()) })
      .andForEach({
        id: 'lines',
        step: andThen({
          id: 'price',
          retries: 0,
          execute: ({ data }) => {
            if (data < 0) throw new Error('no price')
            clock.advance(data)
            return data
          },
        }),
        concurrency: 1,
      })
      .andThen({ id: 'sum', execute: ({ data }) => data.length })
    const at = serve({ workflows: [order] }, { clock })
    await at.execute('order', [...Array.from({ length: 19 }, () => 100), 5000])
    await at.post('/workflows/order/execute', { input: [-1] })
    const near = (ms: number) => expect.toSatisfy((is: number) => is > ms * 0.9 && is < ms * 1.2 + BUSY_MS)
    expect(await statisticsOf(at, 'order')).toMatchObject([
      { step: 'lines', runs: 2, errors: 1, timed: 1, p50Ms: near(6900), costs: null },
      { step: 'lines[]', runs: 21, errors: 1, timed: 20, p50Ms: near(100), p95Ms: near(100) },
      { step: 'sum', runs: 1, errors: 0, timed: 1, costs: null },
    ])
  })

  it('count steps that have waited without a duration, and what a replay copies not at all', async () => {
    const ask = createWorkflow({ id: 'ask', name: 'Ask', inputSchema: z.object({}) })
      .andThen({ id: 'before', execute: () => 1 })
      .andWhen({
        id: 'if',
        condition: () => true,
        step: andThen({
          id: 'approve',
          execute: async ({ resumeData, suspend }) => (resumeData === undefined ? suspend('Sure?') : 2),
        }),
      })
      .andSleep({ id: 'nap', for: 1 })
      .andThen({ id: 'after', execute: () => 3 })
    const at = serve({ workflows: [ask] })
    const { executionId } = await at.execute('ask')
    await dataOf(at.post(`/workflows/ask/executions/${executionId}/resume`, { resumeData: true }))
    const counted = async () =>
      Object.fromEntries(
        (await statisticsOf(at, 'ask')).map(({ step, runs, timed }) => [step, [runs, timed]]),
      )
    const first = { before: [1, 1], if: [1, 0], 'if/approve': [1, 0], nap: [1, 0], after: [1, 1] }
    expect(await counted()).toEqual(first)
    await dataOf(at.post(`/workflows/ask/executions/${executionId}/replay`, { stepId: 'after' }))
    expect(await counted()).toEqual({ ...first, after: [2, expect.any(Number)] })
  })

  it('are of the last seven days', async () => {
    const clock = new TestClock()
    const order = createWorkflow({ id: 'order', name: 'Order', inputSchema: z.object({}) }).andThen({
      id: 'a',
      execute: () => 1,
    })
    const at = serve({ workflows: [order] }, { clock })
    await at.execute('order')
    clock.advance(7 * 86_400_000)
    await at.execute('order')
    expect(await statisticsOf(at, 'order')).toMatchObject([{ step: 'a', runs: 2 }])
    clock.advance(86_400_000)
    expect(await statisticsOf(at, 'order')).toMatchObject([{ step: 'a', runs: 1 }])
  })
})

describe('costs', () => {
  const priced = () => modelOf('priced', { text: 'Hello', usage })
  const calls = { toolCalls: [{ toolName: 'ask_inner', input: { prompt: 'Why?' } }], usage }
  const workflowOf = (...agents: ReturnType<typeof createAgent>[]) =>
    createWorkflow({ id: 'asking', name: 'Asking', inputSchema: z.object({}) }).andAll({
      id: 'all',
      steps: agents.map((agent) => andAgent({ id: `ask-${agent.id}`, agent, prompt: 'Hi', retries: 0 })),
    })

  it('are summed by workflow, step, agent and model, those of sub-agents with the step that asked', async () => {
    const inner = agentOf('inner', modelOf('other', { text: 'Because', usage }))
    const outer = agentOf('outer', modelOf('priced', calls, { text: 'Since', usage }), [inner])
    const clerk = agentOf('clerk', priced())
    const at = serve({ agents: [clerk], workflows: [workflowOf(clerk, outer)] })
    const { executionId } = await at.execute('asking')
    await dataOf(at.post('/agents/clerk/text', { input: 'Hi' }))
    const known = (count: number) => ({ calls: count, costUsd: priceOf(count), unpricedCalls: 0 })
    const unknown = { calls: 1, costUsd: null, knownCostUsd: 0, unpricedCalls: 1 }
    const costs = await costsOf(at)
    expect(costs).toMatchObject({
      total: { calls: 5, inputTokens: 5000, outputTokens: 500, costUsd: null, knownCostUsd: priceOf(4) },
      workflows: [
        { workflowId: 'asking', calls: 4, costUsd: null, knownCostUsd: priceOf(3), unpricedCalls: 1 },
        { workflowId: '', ...known(1) },
      ],
      steps: [
        { workflowId: 'asking', step: 'all/ask-outer', calls: 3, costUsd: null, knownCostUsd: priceOf(2) },
        { workflowId: 'asking', step: 'all/ask-clerk', ...known(1) },
      ],
      agents: [
        { agentId: 'clerk', ...known(2) },
        { agentId: 'outer', ...known(2) },
        { agentId: 'inner', ...unknown },
      ],
      models: [
        { model: 'scripted/priced', ...known(4) },
        { model: 'scripted/other', ...unknown },
      ],
      periodHours: 1,
      periods: [{ calls: 5, knownCostUsd: priceOf(4) }],
    })
    expect((await costsOf(at, '?agentId=inner')).total).toMatchObject(unknown)
    expect((await costsOf(at, '?workflowId=asking')).total).toMatchObject({ calls: 4 })
    expect((await costsOf(at, '?to=2001-01-02&from=2001-01-01')).total).toMatchObject({
      calls: 0,
      costUsd: 0,
    })
    const path = `/observability/executions/${executionId}/costs`
    expect(await dataOf<ExecutionCosts>(at.request(path))).toMatchObject({
      total: { calls: 4, costUsd: null, knownCostUsd: priceOf(3) },
      steps: [
        { step: 'all/ask-outer', agentId: 'outer', model: 'scripted/priced', ...known(2) },
        { step: 'all/ask-clerk', agentId: 'clerk', model: 'scripted/priced', ...known(1) },
        { step: 'all/ask-outer', agentId: 'inner', model: 'scripted/other', ...unknown },
      ],
    })
    expect((await at.request('/observability/executions/unknown/costs')).status).toBe(404)
    const asking = (await statisticsOf(at, 'asking')).map(({ step, costs: of }) => [step, of?.knownCostUsd])
    expect(Object.fromEntries(asking)).toMatchObject({ 'all/ask-outer': priceOf(2), 'all/ask-clerk': COST })
  })

  it('are those of each model of an agent', async () => {
    const cheap = priced()
    const dear = modelOf('dear', { text: 'Hello', usage })
    const agent = createAgent({
      id: 'clerk',
      name: 'Clerk',
      instructions: 'x',
      model: ({ input }) => (input.includes('hard') ? dear : cheap),
    })
    const at = serve({ agents: [agent], prices: { ...prices, 'scripted/dear': { input: 4, output: 20 } } })
    for (const input of ['easy', 'hard', 'easy']) await dataOf(at.post('/agents/clerk/text', { input }))
    const costs = await costsOf(at, '?agentId=clerk')
    expect(costs.models).toMatchObject([
      { model: 'scripted/priced', calls: 2, costUsd: priceOf(2) },
      { model: 'scripted/dear', calls: 1, costUsd: priceOf(2) },
    ])
  })

  it('include failed and aborted answers, whose last call has an unknown cost', async () => {
    const failing = agentOf('failing', modelOf('priced', calls, new Error('no')), [
      agentOf('inner', priced()),
    ])
    const slow = agentOf('slow', modelOf('priced', { text: 'x', delayMs: Infinity }))
    const at = serve({ agents: [failing, slow] })
    await at.post('/agents/failing/text', { input: 'Hi' })
    expect((await costsOf(at, '?agentId=failing')).total).toMatchObject({ calls: 1, costUsd: COST })
    const abort = new AbortController()
    const asked = at.request('/agents/slow/text', { json: { input: 'Hi' }, signal: abort.signal })
    await expect.poll(async () => (await at.request('/agents/slow/history')).text()).toContain('running')
    abort.abort()
    await asked.catch(() => undefined)
    await expect
      .poll(async () => (await costsOf(at, '?agentId=slow')).total)
      .toMatchObject({
        calls: 1,
        costUsd: null,
      })
  })
})
