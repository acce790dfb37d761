import { andAgent, createAgent, createTool, createWorkflow, demoModel } from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { scriptedModel, type ScriptedAnswer } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AgentAnswer, AgentRunRecord } from '../../src/contract/endpoints/agent.ts'
import type { Costs, CurrentUsage } from '../../src/contract/endpoints/usage.ts'
import type { ExecutionRecord } from '../../src/contract/endpoints/execution.ts'
import type { Span, TraceSummary } from '../../src/contract/endpoints/trace.ts'
import { sumCosts } from '../../src/contract/usage/cost.ts'
import { messagesOf } from '../support/server/event-stream.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const usage = { inputTokens: 1000, cachedInputTokens: 400, outputTokens: 100, reasoningTokens: 60 }
/** 600 input, 400 cached and 100 output tokens. */
const COST = 0.0024
const prices = { 'scripted/priced': { input: 2, output: 10, cachedInput: 0.5 } }

const priced = (...script: ScriptedAnswer[]) =>
  scriptedModel(
    script.map((answer) => (typeof answer === 'string' ? { text: answer, usage } : answer)),
    { modelId: 'priced', repeatLast: true },
  )
const agentOf = (
  id: string,
  model: ReturnType<typeof scriptedModel>,
  subAgents = [] as ReturnType<typeof createAgent>[],
) => createAgent({ id, name: id, instructions: 'x', model, subAgents })

const servers: TestServer[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))
function serve(config: AgentServerConfig): TestServer {
  const server = new TestServer({ prices, ...config })
  servers.push(server)
  return server
}

const ask = (server: TestServer, id: string) =>
  dataOf<AgentAnswer>(server.post(`/agents/${id}/text`, { input: 'Hi' }))
const historyOf = (server: TestServer, id: string) =>
  dataOf<AgentRunRecord[]>(server.request(`/agents/${id}/history`))
const lastPart = async (sent: Promise<Response>) =>
  (await messagesOf(sent)).map(({ event }) => event as Record<string, unknown>).at(-1)

describe('the cost of an answer', () => {
  const server = () => serve({ agents: [agentOf('clerk', priced('Hello'))] })

  it('is in the response, its steps and the history', async () => {
    const at = server()
    const answer = await ask(at, 'clerk')
    expect(answer.usage.costUsd).toBe(COST)
    expect(answer.steps.map((step) => step.usage.costUsd)).toEqual([COST])
    const [run] = await historyOf(at, 'clerk')
    expect([run?.usage?.costUsd, run?.steps[0]?.usage.costUsd]).toEqual([COST, COST])
  })

  it('is in the last part of a stream, and in that of each step', async () => {
    const parts = await messagesOf(server().post('/agents/clerk/stream', { input: 'Hi' }))
    const events = parts.map(({ event }) => event as { type: string; usage?: { costUsd?: unknown } })
    const costs = ['finish-step', 'finish'].map(
      (type) => events.find((one) => one.type === type)?.usage?.costUsd,
    )
    expect(costs).toEqual([COST, COST])
  })

  it('is in the metadata of a chat message', async () => {
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]
    expect(await lastPart(server().post('/agents/clerk/chat', { id: 'c1', messages }))).toMatchObject({
      messageMetadata: { usage: { costUsd: COST } },
    })
  })

  it('is in objects, streamed and not', async () => {
    const at = serve({ agents: [agentOf('clerk', priced({ object: { day: 'friday' }, usage }))] })
    const body = { input: 'Hi', schema: { type: 'object', properties: { day: { type: 'string' } } } }
    expect(await dataOf(at.post('/agents/clerk/object', body))).toMatchObject({ usage: { costUsd: COST } })
    expect(await lastPart(at.post('/agents/clerk/stream-object', body))).toMatchObject({
      usage: { costUsd: COST },
    })
  })

  it.each(['text', 'stream'])(
    'is an attribute of the spans of the agent and of its model calls: %s',
    async (way) => {
      const at = server()
      await (await at.post(`/agents/clerk/${way}`, { input: 'Hi' })).text()
      const [run] = await historyOf(at, 'clerk')
      const { spans } = await dataOf<{ spans: Span[] }>(at.request(`/observability/traces/${run?.traceId}`))
      const costs = spans.flatMap(({ name, attributes }) =>
        'gen_ai.usage.cost' in attributes ? [[name, attributes['gen_ai.usage.cost']]] : [],
      )
      expect(costs).toEqual([
        ['invoke_agent clerk', COST],
        ['chat priced', COST],
      ])
    },
  )

  it('is unknown, and so are the tokens, when a guardrail blocks the answer before the model reported them', async () => {
    const model = scriptedModel([{ text: 'A secret. And more of it.', usage }], {
      modelId: 'priced',
      repeatLast: true,
    })
    const guarded = createAgent({
      id: 'guarded',
      name: 'G',
      instructions: 'x',
      model,
      guardrails: { output: [({ text = '' }) => (text.includes('secret') ? { block: 'No' } : undefined)] },
    })
    const at = serve({ agents: [guarded] })
    const unknown = { inputTokens: null, outputTokens: null, totalTokens: null, costUsd: null }
    const part = await lastPart(at.post('/agents/guarded/stream', { input: 'Hi' }))
    expect(part).toMatchObject({ finishReason: 'guardrail', usage: unknown })
    expect((await historyOf(at, 'guarded'))[0]?.usage).toMatchObject(unknown)
    // the whole answer was there
    expect((await ask(at, 'guarded')).usage).toMatchObject({ ...usage, costUsd: COST })
  })

  it('is unknown when the answer is aborted during a later call', async () => {
    const add = createTool({ name: 'add', description: 'A', inputSchema: z.object({}), execute: () => 5 })
    const model = scriptedModel(
      [
        { toolCalls: [{ toolName: 'add', input: {} }], usage },
        { text: 'x', delayMs: Infinity },
      ],
      { modelId: 'priced' },
    )
    const agent = createAgent({ id: 'clerk', name: 'C', instructions: 'x', model, tools: [add] })
    const at = serve({ agents: [agent] })
    const abort = new AbortController()
    const asked = at.request('/agents/clerk/text', { json: { input: 'Hi' }, signal: abort.signal })
    await expect.poll(() => model.calls.length).toBe(2)
    abort.abort()
    await asked.catch(() => undefined)
    await expect.poll(async () => (await historyOf(at, 'clerk'))[0]?.status).toBe('aborted')
    expect((await historyOf(at, 'clerk'))[0]?.usage).toMatchObject({ totalTokens: null, costUsd: null })
  })

  it('includes every model call, and those of sub-agents once', async () => {
    const inner = agentOf('inner', priced('Because'))
    const calls = { toolCalls: [{ toolName: 'ask_inner', input: { prompt: 'Why?' } }], usage }
    const at = serve({ agents: [agentOf('outer', priced(calls, 'Since'), [inner]), inner] })
    expect((await ask(at, 'outer')).usage.costUsd).toBe(0.0072)
    expect((await historyOf(at, 'inner'))[0]?.usage?.costUsd).toBe(COST)
  })

  it('is unknown for models without a price, never 0', async () => {
    const unpriced = scriptedModel([{ text: 'Hello', usage }], { modelId: 'other' })
    const demo = createAgent({ id: 'demo', name: 'Demo', instructions: 'x', model: demoModel() })
    const at = serve({ agents: [agentOf('clerk', unpriced), demo] })
    for (const id of ['clerk', 'demo']) {
      const answer = await ask(at, id)
      expect([answer.usage.costUsd, answer.steps[0]?.usage.costUsd]).toEqual([null, null])
      expect((await historyOf(at, id))[0]?.usage?.costUsd).toBeNull()
    }
  })

  it('is unknown when that of a sub-agent is', async () => {
    const inner = agentOf('inner', scriptedModel(['Because'], { modelId: 'other' }))
    const calls = { toolCalls: [{ toolName: 'ask_inner', input: { prompt: 'Why?' } }], usage }
    const at = serve({ agents: [agentOf('outer', priced(calls, 'Since'), [inner])] })
    const answer = await ask(at, 'outer')
    expect(answer.usage.costUsd).toBeNull()
    expect(answer.steps.map((step) => step.usage.costUsd)).toEqual([COST, COST])
  })

  it('is that of the demo model when the configuration has a price for it', async () => {
    const demo = createAgent({ id: 'demo', name: 'Demo', instructions: 'x', model: demoModel() })
    const at = serve({ agents: [demo], prices: { 'demo/demo': { input: 1, output: 3 } } })
    const { inputTokens, outputTokens, costUsd } = (await ask(at, 'demo')).usage
    expect(costUsd).toBe((Number(inputTokens) + 3 * Number(outputTokens)) / 1e6)
  })
})

it('metrics count the cost in US dollars by agent and model, that of sub-agents with their own', async () => {
  const inner = agentOf('inner', priced('Because'))
  const calls = { toolCalls: [{ toolName: 'ask_inner', input: { prompt: 'Why?' } }], usage }
  const unpriced = agentOf('unpriced', scriptedModel(['Hello'], { modelId: 'other' }))
  const at = serve({ agents: [agentOf('outer', priced(calls, 'Since'), [inner]), unpriced] })
  await ask(at, 'outer')
  await ask(at, 'unpriced')
  const lines = (await (await at.request('/observability/metrics')).text()).split('\n')
  expect(lines.filter((line) => line.startsWith('agentserver_agent_cost_usd_total'))).toEqual([
    `agentserver_agent_cost_usd_total{agent="inner",model="scripted/priced"} ${COST}`,
    'agentserver_agent_cost_usd_total{agent="outer",model="scripted/priced"} 0.0048',
  ])
})

describe('the cost of a trial', () => {
  it('is a row beside the requests to agents, and counts in the sums', async () => {
    const at = serve({ agents: [agentOf('clerk', priced('Hello'))] })
    await ask(at, 'clerk')
    for (const input of ['One', 'Two'])
      await lastPart(at.post('/observability/agents/clerk/trials', { input }))
    const { total, workflows, steps, agents } = await dataOf<Costs>(at.request('/observability/costs'))
    expect(total).toMatchObject({ calls: 3, costUsd: 3 * COST })
    expect(workflows).toMatchObject([
      { workflowId: '', trial: true, calls: 2, costUsd: 2 * COST },
      { workflowId: '', calls: 1, costUsd: COST },
    ])
    expect(workflows[1]).not.toHaveProperty('trial')
    expect([steps, agents]).toMatchObject([[], [{ agentId: 'clerk', calls: 3 }]])
  })
})

describe('the cost of an execution', () => {
  const inner = agentOf('inner', priced('Because'))
  const calls = { toolCalls: [{ toolName: 'ask_inner', input: { prompt: 'Why?' } }], usage }
  const workflowOf = (id: string, agents: ReturnType<typeof createAgent>[]) => {
    const steps = agents.map((agent, index) =>
      andAgent({ id: `ask-${index}`, agent, prompt: 'Hi', retries: 0 }),
    )
    return createWorkflow({ id, name: id, inputSchema: z.object({}) }).andAll({ id: 'all', steps })
  }

  it('is the sum of its agent runs, with those of sub-agents, in the record and in lists', async () => {
    const outer = agentOf('outer', priced(calls, 'Since'), [inner])
    const at = serve({ workflows: [workflowOf('asking', [agentOf('clerk', priced('Hello')), outer])] })
    const { executionId } = await at.execute('asking')
    const paths = [
      `/workflows/asking/executions/${executionId}`,
      `/observability/executions/${executionId}`,
      '/workflows/executions',
      '/observability/executions',
    ]
    for (const path of paths) {
      const [record] = [await dataOf<ExecutionRecord | ExecutionRecord[]>(at.request(path))].flat()
      expect([path, record?.usage]).toEqual([
        path,
        {
          inputTokens: 4000,
          outputTokens: 400,
          totalTokens: 4400,
          cachedInputTokens: 1600,
          reasoningTokens: 240,
          costUsd: 0.0096,
        },
      ])
    }
  })

  it('is unknown when that of one run is, and missing without runs', async () => {
    const unpriced = agentOf('unpriced', scriptedModel(['Hello'], { modelId: 'other' }))
    const plain = createWorkflow({ id: 'plain', name: 'Plain', inputSchema: z.object({}) }).andThen({
      id: 'step',
      execute: () => ({}),
    })
    const asking = workflowOf('asking', [agentOf('clerk', priced('Hello')), unpriced])
    const at = serve({ workflows: [asking, plain] })
    await at.execute('asking')
    await at.execute('plain')
    const listed = await dataOf<ExecutionRecord[]>(at.request('/workflows/executions'))
    expect(listed.map(({ workflowId, usage: used }) => [workflowId, used?.costUsd])).toEqual([
      ['plain', undefined],
      ['asking', null],
    ])
  })

  it('includes the attempts that failed', async () => {
    const failing = agentOf('failing', priced(calls, new Error('no')), [inner])
    const at = serve({ workflows: [workflowOf('asking', [failing])] })
    await at.post('/workflows/asking/execute', { input: {} })
    const [record] = await dataOf<ExecutionRecord[]>(at.request('/workflows/executions'))
    expect([record?.status, record?.usage?.costUsd]).toEqual(['error', 0.0048])
  })
})

it('the activity and the traces have the cost, that of sub-agents once', async () => {
  const inner = agentOf('inner', priced('Because'))
  const calls = { toolCalls: [{ toolName: 'ask_inner', input: { prompt: 'Why?' } }], usage }
  const at = serve({ agents: [agentOf('outer', priced(calls, 'Since'), [inner])] })
  const hours = async () => (await dataOf<CurrentUsage>(at.request('/observability/activity'))).hours
  expect((await hours()).map(({ costUsd }) => costUsd)).toEqual(Array.from({ length: 24 }, () => 0))
  const { traceId } = await ask(at, 'outer')
  expect(sumCosts((await hours()).map(({ costUsd }) => costUsd))).toBe(0.0072)
  expect((await hours()).reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBe(3000)
  const traces = await dataOf<TraceSummary[]>(at.request('/observability/traces'))
  expect(traces.find((trace) => trace.traceId === traceId)?.usage).toEqual({
    inputTokens: 3000,
    outputTokens: 300,
    totalTokens: 3300,
    costUsd: 0.0072,
  })
})
