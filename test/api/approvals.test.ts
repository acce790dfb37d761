import { createAgent, createTool } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { messagesOf } from '../support/server/event-stream.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const refunds: unknown[] = []
const refund = createTool({
  name: 'refund',
  description: 'Refunds an order',
  inputSchema: z.object({ order: z.string(), amount: z.number().max(1000) }),
  needsApproval: ({ amount }) => amount > 100,
  execute: (input) => {
    refunds.push(input)
    return { refunded: input.amount }
  },
})
const lookUp = createTool({
  name: 'lookUp',
  description: 'Finds an order',
  inputSchema: z.object({ order: z.string() }),
  execute: ({ order }) => ({ order, paid: 250 }),
})

const call = (order: string, amount: number) => ({ toolName: 'refund', input: { order, amount } })
const model = scriptedModel(
  Array.from({ length: 200 }, () => (options) => {
    const { prompt } = options
    const text = JSON.stringify(prompt.findLast(({ role }) => role === 'user')?.content)
    const results = prompt
      .slice(prompt.findLastIndex(({ role }) => role === 'user'))
      .filter(({ role }) => role === 'tool')
    if (results.length > 0) return `Done: ${JSON.stringify(results.map(({ content }) => content))}`
    if (text.includes('many')) return { toolCalls: Array.from({ length: 1001 }, () => call('A', 200)) }
    if (text.includes('two')) return { toolCalls: [call('A', 200), call('B', 300)] }
    if (text.includes('mixed'))
      return { toolCalls: [{ toolName: 'lookUp', input: { order: 'A' } }, call('A', 200)] }
    if (text.includes('small')) return { toolCalls: [call('A', 50)] }
    return { text: 'Let me see.', toolCalls: [call('A', 250)] }
  }),
)
const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Refund.',
  model,
  tools: [refund, lookUp],
})
const other = createAgent({ id: 'other', name: 'Other', instructions: 'x', model })
/** The scripted model, with the same id for all tool calls of an answer. */
const sameId = <Part extends { readonly type: string }>(part: Part): Part => {
  if (part.type === 'tool-call') return { ...part, toolCallId: 'same' }
  return part.type.startsWith('tool-input') ? { ...part, id: 'same' } : part
}
const repeating = createAgent({
  id: 'repeating',
  name: 'Repeating',
  instructions: 'Refund.',
  model: {
    ...model,
    doGenerate: async (options) => {
      const generated = await model.doGenerate(options)
      return { ...generated, content: generated.content.map((part) => sameId(part)) }
    },
    doStream: async (options) => {
      const { stream } = await model.doStream(options)
      const parts = new TransformStream({
        transform: (part: { readonly type: string }, controller) => controller.enqueue(sameId(part)),
      })
      return { stream: stream.pipeThrough(parts) }
    },
  },
  tools: [refund],
})

const server = new TestServer({ agents: [clerk, other, repeating] })
afterAll(() => server.close())

interface Approval {
  readonly approvalId: string
  readonly toolName: string
  readonly input: unknown
}
interface Answer {
  readonly id: string
  readonly text: string
  readonly finishReason: string
  readonly approvals?: readonly Approval[]
  readonly [key: string]: unknown
}

const ask = (input: string, options: object = {}) =>
  dataOf<Answer>(server.post('/agents/clerk/text', { input, options }))
const respond = (runId: string, approvals: readonly object[], agent = 'clerk') =>
  server.post(`/agents/${agent}/runs/${runId}/approvals`, { approvals })
const idsOf = ({ approvals = [] }: Answer) => approvals.map(({ approvalId }) => approvalId)

describe('a tool that needs approval', () => {
  it('ends the answer with the call, and is executed when the call is approved', async () => {
    refunds.length = 0
    const asked = await ask('refund')
    expect(asked).toMatchObject({
      finishReason: 'approval-required',
      text: 'Let me see.',
      approvals: [{ approvalId: expect.any(String), toolName: 'refund', input: { order: 'A', amount: 250 } }],
    })
    expect(refunds).toEqual([])
    const [approvalId] = idsOf(asked)
    const answer = await dataOf<Answer>(respond(asked.id, [{ approvalId, approved: true }]))
    expect(answer).toMatchObject({ id: asked.id, finishReason: 'stop', steps: [{}, {}] })
    expect(answer.text).toContain('250')
    expect(answer['toolResults']).toMatchObject([{ toolName: 'refund', output: { refunded: 250 } }])
    expect(refunds).toEqual([{ order: 'A', amount: 250 }])
  })

  it('is not asked for by calls that do not need it', async () => {
    expect(await ask('small')).toMatchObject({ finishReason: 'stop' })
  })

  it('is executed with the arguments that were approved, also when the model repeats the ids of its calls', async () => {
    for (const road of ['text', 'stream']) {
      refunds.length = 0
      const input = { input: 'two', options: {} }
      const sent = server.post(`/agents/repeating/${road}`, input)
      const asked =
        road === 'text'
          ? await dataOf<Answer>(sent)
          : ((await messagesOf(sent)).at(-1)?.event as unknown as Answer)
      expect(asked.approvals?.map(({ input: args }) => args)).toEqual([
        { order: 'A', amount: 200 },
        { order: 'B', amount: 300 },
      ])
      const decisions = idsOf(asked).map((approvalId, index) => ({ approvalId, approved: index === 1 }))
      await dataOf(respond(asked.id, decisions, 'repeating'))
      expect(refunds).toEqual([{ order: 'B', amount: 300 }])
    }
  })

  it('decides calls beyond the thousand that a request may have', async () => {
    const asked = await ask('many')
    const decisions = idsOf(asked).map((approvalId) => ({ approvalId, approved: false }))
    expect(decisions).toHaveLength(1001)
    const first = await dataOf<Answer>(respond(asked.id, decisions.slice(0, 1000)))
    expect(first).toMatchObject({
      finishReason: 'approval-required',
      approvals: [decisions[1000]?.approvalId].map((approvalId) => ({ approvalId })),
    })
    const last = await dataOf<Answer>(respond(asked.id, decisions.slice(1000)))
    expect(last).toMatchObject({ finishReason: 'stop' })
  })

  it('tells the model that the call was denied, and why', async () => {
    refunds.length = 0
    const asked = await ask('refund')
    const [approvalId] = idsOf(asked)
    const answer = await dataOf<Answer>(
      respond(asked.id, [{ approvalId, approved: false, reason: 'Too late in the year' }]),
    )
    expect(answer.text).toContain('Too late in the year')
    expect(refunds).toEqual([])
  })

  it('is executed with edited arguments, also with those that need no approval', async () => {
    for (const amount of [150, 20]) {
      refunds.length = 0
      const asked = await ask('refund')
      const [approvalId] = idsOf(asked)
      const input = { order: 'A', amount }
      const answer = await dataOf<Answer>(respond(asked.id, [{ approvalId, approved: true, input }]))
      expect(refunds).toEqual([input])
      expect(answer['toolCalls']).toMatchObject([{ toolName: 'refund', input }])
    }
  })

  it('refuses edited arguments that do not match its schema, and still waits', async () => {
    const asked = await ask('refund')
    const [approvalId] = idsOf(asked)
    const input = { order: 'A', amount: 'many' }
    const refused = await refusalOf(respond(asked.id, [{ approvalId, approved: true, input }]), 400)
    expect(refused).toContain('approvals[0].input.amount')
    expect((await respond(asked.id, [{ approvalId, approved: true }])).status).toBe(200)
  })

  it('refuses a second decision, an unknown approval, run or agent, and two decisions in one request', async () => {
    const asked = await ask('refund')
    const [approvalId] = idsOf(asked)
    const yes = { approvalId, approved: true }
    await refusalOf(respond(asked.id, [yes, yes]), 400)
    await refusalOf(respond(asked.id, [{ approvalId: 'forged', approved: true }]), 404)
    await refusalOf(respond('no-run', [yes]), 404)
    await refusalOf(respond(asked.id, [yes], 'other'), 404)
    const answers = await Promise.all([respond(asked.id, [yes]), respond(asked.id, [yes])])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    await refusalOf(respond(asked.id, [yes]), 409)
  })

  it('is approved together with others, in one request or one after the other', async () => {
    refunds.length = 0
    const together = await ask('two')
    const ids = idsOf(together)
    expect(ids).toHaveLength(2)
    await dataOf(
      respond(together.id, [
        { approvalId: ids[0], approved: true },
        { approvalId: ids[1], approved: true },
      ]),
    )
    expect(refunds).toHaveLength(2)
    refunds.length = 0
    const asked = await ask('two')
    const [first, second] = idsOf(asked)
    const waiting = await dataOf<Answer>(respond(asked.id, [{ approvalId: first, approved: true }]))
    expect(waiting).toMatchObject({ finishReason: 'approval-required', approvals: [{ approvalId: second }] })
    expect(refunds).toEqual([])
    const answer = await dataOf<Answer>(respond(asked.id, [{ approvalId: second, approved: false }]))
    expect(answer.finishReason).toBe('stop')
    expect(refunds).toEqual([{ order: 'A', amount: 200 }])
  })

  it('lets calls beside it that need none be made at once', async () => {
    const asked = await ask('mixed')
    expect(asked['toolResults']).toMatchObject([{ toolName: 'lookUp', output: { paid: 250 } }])
    const [approvalId] = idsOf(asked)
    const answer = await dataOf<Answer>(respond(asked.id, [{ approvalId, approved: true }]))
    expect(answer['toolResults']).toMatchObject([{ toolName: 'lookUp' }, { toolName: 'refund' }])
    expect(answer.finishReason).toBe('stop')
  })

  it('goes on as a stream when the client accepts one', async () => {
    const parts = await messagesOf(server.post('/agents/clerk/stream', { input: 'refund' }))
    const events = parts.map(({ event }) => event as unknown as Record<string, unknown>)
    const request = events.find(({ type }) => type === 'tool-approval-request')
    expect(request).toMatchObject({ toolName: 'refund', input: { amount: 250 } })
    const last = events.at(-1) as unknown as Answer
    expect(last).toMatchObject({ type: 'finish', finishReason: 'approval-required', approvals: [{}] })
    const approvals = [{ approvalId: request?.['approvalId'], approved: true }]
    const answer = server.request(`/agents/clerk/runs/${last.id}/approvals`, {
      json: { approvals },
      headers: { Accept: 'text/event-stream' },
    })
    const after = (await messagesOf(answer)).map(({ event }) => event as unknown as Record<string, unknown>)
    expect(after.find(({ type }) => type === 'tool-result')).toMatchObject({ output: { refunded: 250 } })
    expect(after.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop', id: last.id })
  })

  it('leaves the run suspended in the history until it is decided', async () => {
    const asked = await ask('refund')
    const read = async () =>
      (await dataOf<Record<string, unknown>[]>(server.request('/agents/clerk/history?limit=1')))[0]
    expect(await read()).toMatchObject({ id: asked.id, status: 'suspended', endTime: null })
    await dataOf(respond(asked.id, [{ approvalId: idsOf(asked)[0], approved: true }]))
    expect(await read()).toMatchObject({ id: asked.id, status: 'completed', steps: [{}, {}] })
  })

  it('keeps waiting beside new messages of its conversation, which are answered', async () => {
    const options = { conversationId: 'beside' }
    const asked = await ask('refund', options)
    expect(await ask('small', options)).toMatchObject({ finishReason: 'stop' })
    const approvals = [{ approvalId: idsOf(asked)[0], approved: false }]
    expect(await dataOf<Answer>(respond(asked.id, approvals))).toMatchObject({ finishReason: 'stop' })
    const path = '/agents/clerk/conversations/beside/messages'
    const messages = await dataOf<{ parts: unknown }[]>(server.request(path))
    const texts = JSON.stringify(messages.map(({ parts }) => parts))
    expect(texts.indexOf('small')).toBeLessThan(texts.lastIndexOf('refund'))
    expect(messages).toHaveLength(4)
  })

  it('is asked for before an object is returned', async () => {
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }
    const objects = scriptedModel([{ toolCalls: [call('A', 250)] }, { object: { ok: true } }])
    const agent = createAgent({
      id: 'objects',
      name: 'O',
      instructions: 'x',
      model: objects,
      tools: [refund],
    })
    const own = new TestServer({ agents: [agent] })
    const asked = await dataOf<Answer>(own.post('/agents/objects/object', { input: 'go', schema }))
    expect(asked).toMatchObject({ finishReason: 'approval-required', approvals: [{}] })
    const approvals = [{ approvalId: idsOf(asked)[0], approved: true }]
    const answer = await dataOf<Answer>(own.post(`/agents/objects/runs/${asked.id}/approvals`, { approvals }))
    expect(answer).toMatchObject({ finishReason: 'stop', object: { ok: true } })
    await own.close()
  })

  it('is asked for when a sub-agent calls it, and both go on when it is approved', async () => {
    refunds.length = 0
    const boss = createAgent({
      id: 'boss',
      name: 'Boss',
      instructions: 'Ask.',
      model: scriptedModel([
        {
          toolCalls: [
            { toolName: 'ask_worker', input: { prompt: 'refund' } },
            { toolName: 'lookUp', input: { order: 'A' } },
          ],
        },
        (options) => JSON.stringify(options.prompt.at(-1)),
      ]),
      tools: [lookUp],
      subAgents: [
        createAgent({
          id: 'worker',
          name: 'Worker',
          instructions: 'Refund.',
          tools: [refund],
          model: scriptedModel([{ toolCalls: [call('W', 500)] }, 'Refunded by the worker']),
        }),
      ],
    })
    const own = new TestServer({ agents: [boss] })
    const asked = await dataOf<Answer>(own.post('/agents/boss/text', { input: 'go' }))
    expect(asked).toMatchObject({
      finishReason: 'approval-required',
      approvals: [{ toolName: 'refund', agentId: 'worker', input: { order: 'W', amount: 500 } }],
      toolResults: [{ toolName: 'lookUp' }],
    })
    expect(refunds).toEqual([])
    const approvals = [{ approvalId: idsOf(asked)[0], approved: true }]
    const answer = await dataOf<Answer>(own.post(`/agents/boss/runs/${asked.id}/approvals`, { approvals }))
    expect(refunds).toEqual([{ order: 'W', amount: 500 }])
    expect(answer.text).toContain('Refunded by the worker')
    expect(answer.finishReason).toBe('stop')
    await own.close()
  })
})
