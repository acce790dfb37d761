import { createAgent, createTool } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
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
const server = new TestServer({ workflows: [], agents: [clerk, careful] })
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

  it('neither reads nor extends a conversation', async () => {
    await trial({ model: 'scripted/talker', options: { conversationId: 'c1', userId: 'ada' } })
    expect(await dataOf(server.request('/observability/conversations'))).toEqual([])
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
