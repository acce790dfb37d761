import { createAgent, createTool } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AgentRunRecord } from '../../src/contract/endpoints/agent.ts'
import type { SearchResult } from '../../src/contract/endpoints/search.ts'
import { messagesOf } from '../support/server/event-stream.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

let paid: unknown[] = []
const tool = (name: string, needsApproval = false) =>
  createTool({
    name,
    description: name,
    inputSchema: z.object({ amount: z.number(), currency: z.string().default('CHF') }),
    needsApproval,
    execute: (input) => {
      paid.push(input)
      return 'paid'
    },
  })
const calling = (toolName: string) =>
  scriptedModel(
    [
      ({ prompt }) => {
        const last = prompt.at(-1)
        return last?.role === 'tool'
          ? JSON.stringify(last.content)
          : { toolCalls: [{ toolName, input: { amount: 5 } }] }
      },
    ],
    { repeatLast: true, modelId: `calls-${toolName}` },
  )
const talker = scriptedModel([({ prompt }) => JSON.stringify(prompt[0]?.content)], {
  repeatLast: true,
  modelId: 'talker',
})
const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Be kind.',
  model: [calling('pay'), talker],
  tools: [tool('pay'), tool('refund', true)],
})
const careful = createAgent({
  id: 'careful',
  name: 'Careful',
  instructions: () => 'Be careful.',
  model: calling('refund'),
  tools: () => [tool('refund', true)],
})
const helper = createAgent({
  id: 'helper',
  name: 'Helper',
  instructions: 'Help.',
  model: scriptedModel(['from the helper'], { repeatLast: true }),
})
const boss = createAgent({
  id: 'boss',
  name: 'Boss',
  instructions: 'Delegate.',
  model: scriptedModel(
    [
      ({ prompt, tools }) => {
        const last = prompt.at(-1)
        if (last?.role === 'tool') return JSON.stringify(last.content)
        return tools?.length
          ? { toolCalls: [{ toolName: 'ask_helper', input: { prompt: 'How?' } }] }
          : 'on my own'
      },
    ],
    { repeatLast: true },
  ),
  subAgents: [helper],
})
const server = new TestServer({ workflows: [], agents: [clerk, careful, boss, helper] })
beforeEach(() => {
  paid = []
})
afterAll(() => server.close())

const path = (agent: string) => `/observability/agents/${agent}/trials`

async function trial(body: object, agent = 'clerk') {
  const sent = await messagesOf(server.post(path(agent), { input: 'Hello', ...body }))
  const parts = sent.map(({ event }) => event as { type: string; [key: string]: unknown })
  const text = parts.filter(({ type }) => type === 'text-delta').map((part) => part['text'] ?? part['delta'])
  return { parts, text: text.join(''), finish: parts.find(({ type }) => type === 'finish') }
}

interface SearchReply {
  readonly data: readonly SearchResult[]
}

const historyOf = (agent: string, query = '') =>
  dataOf<AgentRunRecord[]>(server.request(`/agents/${agent}/history${query}`))

describe('a trial of an agent', () => {
  it('has other instructions and another of its models, with usage and cost', async () => {
    const { text, finish } = await trial({ instructions: 'Be brief.', model: 'scripted/talker' })
    expect(text).toBe('"Be brief."')
    expect(finish).toMatchObject({ usage: { outputTokens: expect.any(Number), costUsd: null } })
    expect(talker.calls.at(-1)?.tools?.map(({ name }) => name)).toEqual(['pay', 'refund'])
  })

  it('has only the tools that are named', async () => {
    await trial({ model: 'scripted/talker', tools: ['refund'] })
    expect(talker.calls.at(-1)?.tools?.map(({ name }) => name)).toEqual(['refund'])
    expect(await refusalOf(server.post(path('clerk'), { input: 'x', tools: ['nosuch'] }), 400)).toContain(
      'tools: the agent has no tool "nosuch"',
    )
  })

  it('executes no tool: recorded calls return their results, others fail', async () => {
    const toolResults = [{ toolName: 'pay', input: { amount: 5 }, output: 'as recorded' }]
    expect((await trial({ toolResults })).text).toContain('as recorded')
    expect((await trial({})).text).toContain('Not executed: there is no recorded result of this call')
    expect(paid).toEqual([])
  })

  it('executes tools if it is asked to, but none that needs approval', async () => {
    expect((await trial({ executeTools: true })).text).toContain('paid')
    expect(paid).toEqual([{ amount: 5, currency: 'CHF' }])
    expect((await trial({ executeTools: true }, 'careful')).text).toContain('the call needs approval')
    expect(paid).toHaveLength(1)
  })

  it('applies to tools and instructions that are functions, too', async () => {
    const toolResults = [{ toolName: 'refund', input: { amount: 5 }, output: 'as recorded' }]
    expect((await trial({ toolResults, instructions: 'x' }, 'careful')).text).toContain('as recorded')
  })

  it('asks no sub-agent: recorded answers are returned, other calls fail, and it can leave them out', async () => {
    const toolResults = [{ toolName: 'ask_helper', input: { prompt: 'How?' }, output: 'as recorded' }]
    expect((await trial({ toolResults }, 'boss')).text).toContain('as recorded')
    expect((await trial({ tools: ['ask_helper'] }, 'boss')).text).toContain('Not executed')
    expect((await trial({ tools: [] }, 'boss')).text).toBe('on my own')
    expect(await historyOf('helper')).toEqual([])
  })

  it('asks its sub-agents when it executes tools', async () => {
    const { text, finish } = await trial({ executeTools: true }, 'boss')
    expect(text).toContain('from the helper')
    expect(await historyOf('helper')).toMatchObject([{ output: 'from the helper', status: 'completed' }])
    const replay = server.post(`/agents/boss/runs/${String(finish?.['id'])}/replay`, { stepId: 'model-1' })
    expect(await refusalOf(replay, 409)).toContain('is a trial, which does not continue')
  })

  it('neither reads nor extends a conversation', async () => {
    await trial({ model: 'scripted/talker', options: { conversationId: 'c1', userId: 'ada' } })
    expect(await dataOf(server.request('/observability/conversations'))).toEqual([])
    expect(await historyOf('clerk', '?conversationId=c1')).toEqual([])
  })

  it('is marked in the history and in the search, and is no newest run of its agent', async () => {
    const { id } = await dataOf<{ id: string }>(server.post('/agents/careful/text', { input: 'Hello' }))
    const { finish } = await trial({ input: 'Zebra' }, 'careful')
    const [newest, before] = await historyOf('careful')
    expect(newest).toMatchObject({ id: finish?.['id'], trial: true })
    expect(before).toMatchObject({ id })
    expect(before).not.toHaveProperty('trial')
    const activity = await dataOf<{ agentId: string; runs: { runId: string }[] }[]>(
      server.request('/observability/agents'),
    )
    expect(activity.find(({ agentId }) => agentId === 'careful')?.runs.map(({ runId }) => runId)).toEqual([
      id,
    ])
    const found = async () => {
      const { data } = (await (await server.request('/observability/search?q=zebra')).json()) as SearchReply
      return data.map((one) => [one.id, one.trial])
    }
    await expect.poll(found, { timeout: 10_000 }).toEqual([[finish?.['id'], true]])
  })

  it.each([
    [{ model: 'nowhere/x' }, 'unknown provider'],
    [{ model: 'x' }, 'provider/model'],
    [{ instructions: ' ' }, 'instructions'],
    [{ input: '' }, 'input'],
  ])('is refused: %j', async (body, message) => {
    expect(await refusalOf(server.post(path('clerk'), { input: 'x', ...body }), 400)).toContain(message)
  })

  it('of an unknown agent is not found', async () => {
    expect(await refusalOf(server.post(path('nobody'), { input: 'x' }), 404)).toContain('nobody')
  })
})

describe('the patch of instructions', () => {
  it('says why there is none', async () => {
    const patch = (agent: string) =>
      dataOf(server.post(`/observability/agents/${agent}/instructions/patch`, { instructions: 'New' }))
    expect(await patch('careful')).toEqual({
      file: null,
      patch: null,
      reason: 'The instructions are a function of the request',
    })
    expect(await patch('clerk')).toMatchObject({
      reason: 'No file of the project has the instructions as one text',
    })
  })
})
