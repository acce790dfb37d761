import { createAgent, createTool, createWorkflow } from 'agentserver'
import type { Budget } from 'agentserver'
import { scriptedModel, type ScriptedAnswer } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AgentAnswer, AgentRunRecord } from '../../src/contract/endpoints/agent.ts'
import { bearer, GuardedServer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const usage = { inputTokens: 100, outputTokens: 100 }
const look = createTool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({}),
  execute: () => 'seen',
})
const calls: ScriptedAnswer = { toolCalls: [{ toolName: 'look', input: {} }], usage }

describe('a budget that asks', () => {
  let server: TestServer
  afterEach(() => server.close())
  const agentOf = (budget: Omit<Budget, 'per' | 'onLimit'>, script: readonly ScriptedAnswer[], more = {}) => {
    const model = scriptedModel([...script])
    return {
      model,
      agent: createAgent({
        id: 'clerk',
        name: 'Clerk',
        instructions: 'Help.',
        model,
        tools: [look],
        budgets: [{ per: 'run', ...budget, onLimit: 'ask' }],
        resumable: true,
        ...more,
      }),
    }
  }
  const options = { maxOutputTokens: 100 }
  const text = () => server.post('/agents/clerk/text', { input: 'Hi', options })
  const resume = (id: string, resumeData: object) =>
    server.post(`/agents/clerk/runs/${id}/resume`, { resumeData })

  it('suspends a recorded answer before the call, and goes on behind the last one', async () => {
    const { model, agent } = agentOf({ tokens: 250 }, [calls, { text: 'Done', usage }])
    server = new TestServer({ agents: [agent] })
    const first = await dataOf<AgentAnswer>(await text())
    expect(first).toMatchObject({
      finishReason: 'suspended',
      waits: [
        {
          stepId: 'allow',
          reason: 'budget',
          data: { question: expect.stringMatching(/200 of 250 tokens are used.*Allow more\?$/) as string },
          resumeSchema: { required: ['allowTokens'] },
        },
      ],
    })
    expect(model.calls).toHaveLength(1)
    expect(await refusalOf(resume(first.id, { allowTokens: -1 }), 400)).toContain('allowTokens')
    expect(await refusalOf(resume(first.id, { allowUsd: 1 }), 400)).toContain('allow')
    // more than the database can count
    for (const allowTokens of [1e20, 1e300, 1e9 + 1])
      expect(await refusalOf(resume(first.id, { allowTokens }), 400)).toContain('1000000000')
    expect(await dataOf(resume(first.id, { allowTokens: 500 }))).toMatchObject({
      text: 'Done',
      finishReason: 'stop',
    })
    expect(model.calls).toHaveLength(2)
  })

  it('asks again when what was allowed is too little', async () => {
    const { agent } = agentOf({ tokens: 1 }, [{ text: 'Done', usage }])
    server = new TestServer({ agents: [agent] })
    const { id } = await dataOf<AgentAnswer>(await text())
    expect(await dataOf(resume(id, { allowTokens: 1 }))).toMatchObject({ finishReason: 'suspended' })
    expect(await dataOf(resume(id, { allowTokens: 1000 }))).toMatchObject({ text: 'Done' })
  })

  it('asks for dollars where the limit is one of dollars', async () => {
    const { agent } = agentOf({ usd: 0.000_01 }, [{ text: 'Done', usage }])
    server = new TestServer({
      agents: [agent],
      prices: { 'scripted/scripted': { input: 10, output: 10 } },
    })
    const { id, waits } = await dataOf<AgentAnswer>(await text())
    expect(waits).toMatchObject([{ resumeSchema: { required: ['allowUsd'] } }])
    for (const allowUsd of [0, 1e300])
      expect(await refusalOf(resume(id, { allowUsd }), 400)).toContain('resumeData.allowUsd')
    expect(await dataOf(resume(id, { allowUsd: 0.01 }))).toMatchObject({ text: 'Done' })
  })

  it('suspends the execution of a step', async () => {
    const { model, agent } = agentOf({ tokens: 1 }, [{ text: 'Done', usage }])
    const flow = createWorkflow({ id: 'w' }).andAgent({ id: 'ask', agent, prompt: 'Hi' })
    server = new TestServer({ workflows: [flow], agents: [agent] })
    const { executionId, suspension } = await server.execute('w')
    expect(suspension).toMatchObject({ stepId: 'allow', reason: 'budget' })
    const resumed = server.post(`/workflows/w/executions/${executionId}/resume`, {
      resumeData: { allowTokens: 5000 },
    })
    expect(await dataOf(resumed)).toMatchObject({ status: 'completed', result: { text: 'Done' } })
    expect(model.calls).toHaveLength(1)
  })

  it('is not answered by the record of a tool call with a similar id', async () => {
    const noting = createTool({
      name: 'note',
      description: 'Notes',
      inputSchema: z.object({}),
      execute: async (_, { step }) => step.run('allow', () => ({ allowTokens: 1000 })),
    })
    const calling: ScriptedAnswer = { toolCalls: [{ toolName: 'note', input: {} }], usage }
    const { agent, model } = agentOf({ tokens: 250 }, [calling, { text: 'Done', usage }], { tools: [noting] })
    const generate = model.doGenerate.bind(model)
    model.doGenerate = async (request) => {
      const answer = await generate(request)
      const named = answer.content.map((part) =>
        part.type === 'tool-call' ? { ...part, toolCallId: 'budget-1' } : part,
      )
      return { ...answer, content: named }
    }
    server = new TestServer({ agents: [agent] })
    const { id, waits } = await dataOf<AgentAnswer>(await text())
    expect(waits).toMatchObject([{ reason: 'budget' }])
    expect(await dataOf(resume(id, { allowTokens: 500 }))).toMatchObject({ text: 'Done' })
  })

  it('names no amounts in production, but in the log', async () => {
    const { agent } = agentOf({ tokens: 1 }, [{ text: 'Done', usage }])
    server = new TestServer({ agents: [agent] }, { production: true, level: 'info' })
    const { waits } = await dataOf<AgentAnswer>(await text())
    expect(waits).toMatchObject([
      { data: { question: 'The budget for this request is used up. Allow more?' } },
    ])
    expect(JSON.stringify(waits)).not.toContain('of 1 ')
    expect(server.logs.map(({ msg }) => msg).join()).toMatch(/asked to allow more.*of 1 tokens are used/)
  })

  describe('with users', () => {
    const startAs = async (budget: Budget, kind: 'answer' | 'step') => {
      const { agent } = agentOf({}, [{ text: 'Done', usage }], { budgets: [budget] })
      const flow = createWorkflow({ id: 'w' }).andAgent({ id: 'ask', agent, prompt: 'Hi' })
      server = new GuardedServer({ workflows: [flow], agents: [agent], auth: provider() })
      const [ada, bob] = [bearer(await tokenOf({ sub: 'ada' })), bearer(await tokenOf({ sub: 'bob' }))]
      const started = await (kind === 'answer'
        ? dataOf<{ id: string }>(await server.post('/agents/clerk/text', { input: 'Hi', options }, ada))
        : dataOf<{ executionId: string }>(await server.post('/workflows/w/execute', { input: {} }, ada)).then(
            ({ executionId: id }) => ({ id }),
          ))
      const { id } = started
      const path =
        kind === 'answer' ? `/agents/clerk/runs/${id}/resume` : `/workflows/w/executions/${id}/resume`
      const allow = (headers: object) =>
        server.post(path, { resumeData: { allowTokens: 5000 } }, { ...headers })
      return { ada, bob, allow }
    }

    it.each(['answer', 'step'] as const)('is raised by operators for an %s', async (kind) => {
      const { ada, allow } = await startAs({ per: 'user', every: '1h', tokens: 1, onLimit: 'ask' }, kind)
      expect(await refusalOf(allow(ada), 403)).toContain('operator')
      expect((await allow({ ...ada, ...keyHeader() })).status).toBe(200)
    })

    it.each(['answer', 'step'] as const)('per run is raised by the owner of an %s', async (kind) => {
      const { ada, bob, allow } = await startAs({ per: 'run', tokens: 1, onLimit: 'ask' }, kind)
      const refused = await allow(bob)
      expect([403, 404]).toContain(refused.status)
      expect((await allow(ada)).status).toBe(200)
    })
  })

  it('fails an answer that is not recorded', async () => {
    const { model, agent } = agentOf({ tokens: 1 }, ['Done'], { resumable: false })
    server = new TestServer({ agents: [agent] })
    expect(await refusalOf(text(), 429)).toContain('budget')
    expect(model.calls).toHaveLength(0)
    expect(await dataOf<AgentRunRecord[]>(server.request('/agents/clerk/history'))).toMatchObject([
      { status: 'error' },
    ])
  })
})
