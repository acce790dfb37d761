import { createAgent, createTool, createWorkflow } from 'agentserver'
import type { Budget } from 'agentserver'
import { scriptedModel, type ScriptedAnswer } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AgentAnswer, AgentRunRecord } from '../../src/contract/endpoints/agent.ts'
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
