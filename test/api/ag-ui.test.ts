import { HttpAgent } from '@ag-ui/client'
import type { HttpAgentConfig } from '@ag-ui/client'
import type { BaseEvent, Interrupt, Message, RunFinishedEvent } from '@ag-ui/core'
import { RunErrorEventSchema, EventSchema } from '@ag-ui/core/schemas'
import { createAgent, createTool, demoModel } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { GuardedServer, bearer, provider, tokenOf } from '../support/server/guarded-server.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

type Turn = { prompt: readonly { role: string; content: unknown }[] }

const asked = ({ prompt }: Turn) => JSON.stringify(prompt.at(-1)?.content)
const isAnswered = ({ prompt }: Turn) => prompt.at(-1)?.role === 'tool'
const model = (answer: (turn: Turn) => unknown) => scriptedModel([answer as never], { repeatLast: true })

const tool = (name: string, execute: () => unknown, needsApproval = false) =>
  createTool({ name, description: name, inputSchema: z.looseObject({}), needsApproval, execute })
const refund = tool('refund', () => 'done', true)
const look = createTool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({}),
  execute: (_, { write, context }) => {
    write({ type: 'data-state', data: { seen: (context['state'] as { n: number } | undefined)?.n ?? 0 } })
    write({ type: 'data-progress', data: { done: 1 } })
    return { sky: 'blue' }
  },
})
const wait = createTool({
  name: 'wait',
  description: 'Waits',
  inputSchema: z.object({}),
  execute: (_, { step }) => step.suspend('answer', { resumeSchema: z.object({ answer: z.string() }) }),
})

const agents = [
  createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help', model: demoModel() }),
  createAgent({
    id: 'looker',
    name: 'L',
    instructions: 'x',
    tools: [look],
    model: model((turn) =>
      isAnswered(turn)
        ? { reasoning: 'It is blue', text: 'Blue' }
        : { reasoning: 'I look', text: 'One moment', toolCalls: [{ toolName: 'look', input: {} }] },
    ),
  }),
  createAgent({
    id: 'careful',
    name: 'C',
    instructions: 'x',
    tools: [refund],
    model: model((turn) =>
      isAnswered(turn) ? `Seen ${asked(turn)}` : { toolCalls: [{ toolName: 'refund', input: { cents: 5 } }] },
    ),
  }),
  createAgent({
    id: 'curious',
    name: 'Q',
    instructions: 'x',
    tools: [wait],
    resumable: true,
    model: model((turn) =>
      isAnswered(turn) ? `Seen ${asked(turn)}` : { toolCalls: [{ toolName: 'wait', input: {} }] },
    ),
  }),
  createAgent({
    id: 'mapper',
    name: 'M',
    instructions: 'Own instructions',
    model: model((turn) =>
      isAnswered(turn)
        ? `Seen ${asked(turn)}`
        : asked(turn).includes('instructions')
          ? JSON.stringify(turn.prompt[0])
          : { toolCalls: [{ toolName: 'locate', input: { accuracy: 'high' } }] },
    ),
  }),
  createAgent({
    id: 'failing',
    name: 'F',
    instructions: 'x',
    model: model(() => ({ error: new Error('hunter2') })),
  }),
  createAgent({
    id: 'blocked',
    name: 'B',
    instructions: 'x',
    model: model(() => 'no'),
    guardrails: { input: [() => ({ block: 'Not here' })] },
  }),
]

const server = new TestServer({ agents })
let base = ''
beforeAll(async () => {
  base = `http://127.0.0.1:${(await server.listen()).port}`
})
afterAll(() => server.close())

interface Client {
  readonly agent: HttpAgent
  readonly events: BaseEvent[]
  readonly types: () => string[]
  readonly end: () => RunFinishedEvent
}

/** The client of the protocol, unchanged. It verifies the order of the events. */
function open(id: string, config: Partial<HttpAgentConfig> = {}): Client {
  const agent = new HttpAgent({ url: `${base}/agents/${id}/ag-ui`, ...config })
  const events: BaseEvent[] = []
  agent.subscribe({ onEvent: ({ event }) => void events.push(event) })
  return {
    agent,
    events,
    types: () => events.map(({ type }) => type),
    end: () => events.findLast(({ type }) => String(type) === 'RUN_FINISHED') as RunFinishedEvent,
  }
}

const user = (content: string, id = 'm1'): Message => ({ id, role: 'user', content })
const textOf = (agent: HttpAgent) => agent.messages.findLast(({ role }) => role === 'assistant')?.content
const interruptsIn = ({ outcome }: RunFinishedEvent): Interrupt[] =>
  outcome?.type === 'interrupt' ? outcome.interrupts : []

describe('HttpAgent', () => {
  it('has a conversation', async () => {
    const { agent, types, end, events } = open('clerk', { threadId: 'talk' })
    agent.addMessage(user('Good morning'))
    const { newMessages } = await agent.runAgent({ runId: 'r1' })
    expect(types().slice(0, 2)).toEqual(['RUN_STARTED', 'TEXT_MESSAGE_START'])
    expect(types().slice(-2)).toEqual(['TEXT_MESSAGE_END', 'RUN_FINISHED'])
    expect(newMessages).toMatchObject([{ role: 'assistant', content: expect.stringMatching(/\w/) as string }])
    expect(end()).toMatchObject({ threadId: 'talk', runId: 'r1', outcome: { type: 'success' } })
    expect(end().usage?.[0]).toMatchObject({ provider: 'demo', inputTokens: expect.any(Number) as number })
    expect(events.every((event) => EventSchema.safeParse(event).success)).toBe(true)
    agent.addMessage(user('And again', 'm2'))
    await agent.runAgent()
    const kept = server.request('/agents/clerk/conversations/talk/messages')
    expect(await dataOf<Message[]>(kept)).toHaveLength(4)
  })

  it('sees tools, reasoning and state', async () => {
    const { agent, types, events } = open('looker', { initialState: { n: 7 } })
    agent.addMessage(user('Look'))
    await agent.runAgent()
    const inOrder = types().filter((type, index) => type !== types()[index - 1])
    expect(inOrder).toEqual([
      'RUN_STARTED',
      'STATE_SNAPSHOT',
      'REASONING_START',
      'REASONING_MESSAGE_START',
      'REASONING_MESSAGE_CONTENT',
      'REASONING_MESSAGE_END',
      'REASONING_END',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'STATE_SNAPSHOT',
      'CUSTOM',
      'TOOL_CALL_RESULT',
      'REASONING_START',
      'REASONING_MESSAGE_START',
      'REASONING_MESSAGE_CONTENT',
      'REASONING_MESSAGE_END',
      'REASONING_END',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ])
    expect(agent.state).toEqual({ seen: 7 })
    expect(events.find(({ type }) => String(type) === 'TOOL_CALL_RESULT')).toMatchObject({
      content: '{"sky":"blue"}',
    })
    expect(agent.messages.map(({ role }) => role)).toEqual([
      'user',
      'reasoning',
      'assistant',
      'tool',
      'reasoning',
      'assistant',
    ])
    const [, , withCall] = agent.messages as { content?: string; toolCalls?: unknown[] }[]
    expect([withCall?.content, withCall?.toolCalls?.length]).toEqual(['One moment', 1])
  })

  it('executes tools of the front end', async () => {
    const { agent, end } = open('mapper')
    const tools = [{ name: 'locate', description: 'Locates', parameters: { type: 'object', properties: {} } }]
    agent.addMessage(user('Where am I?'))
    await agent.runAgent({ tools })
    const { outcome } = end()
    const [toolCallId = ''] = outcome?.type === 'success' ? (outcome.pendingToolCallIds ?? []) : []
    expect(toolCallId).not.toBe('')
    agent.addMessage({ id: 't1', role: 'tool', toolCallId, content: '{"city":"Bern"}' })
    await agent.runAgent({ tools })
    expect(textOf(agent)).toContain('Bern')
    expect(end().outcome).toEqual({ type: 'success' })
    agent.addMessage(user('Where now?', 'm9'))
    await agent.runAgent({ tools })
    expect(end().outcome).toMatchObject({ pendingToolCallIds: [expect.any(String) as string] })
  })

  it('gives the agent its context and its system messages, marked as of the caller', async () => {
    const { agent } = open('mapper')
    agent.setMessages([{ id: 's', role: 'system', content: 'Be brief' }, user('Tell your instructions')])
    await agent.runAgent({ context: [{ description: 'The page', value: 'Checkout' }] })
    const text = textOf(agent) as string
    expect(text).toContain('Own instructions')
    expect(text).toMatch(/instructions_of_the_caller.*Be brief.*The page: Checkout/)
  })

  it.each([
    [{ approved: true }, 'done'],
    [{ approved: false, reason: 'Too much' }, 'Too much'],
    [{ approved: true, input: { cents: 4 } }, 'done'],
  ])('responds to an approval: %j', async (payload, seen) => {
    const { agent, end } = open('careful')
    agent.addMessage(user('Refund'))
    await agent.runAgent()
    const [interrupt] = interruptsIn(end())
    expect(interrupt).toMatchObject({
      reason: 'tool_call',
      responseSchema: { required: ['approved'] },
      metadata: { toolName: 'refund', input: { cents: 5 } },
    })
    expect(agent.pendingInterrupts).toHaveLength(1)
    await agent.runAgent({ resume: [{ interruptId: interrupt?.id ?? '', status: 'resolved', payload }] })
    expect(textOf(agent)).toContain(seen)
    expect(end().outcome).toEqual({ type: 'success' })
    expect(agent.pendingInterrupts).toEqual([])
  })

  it('cancels an approval, and refuses a payload that is not as the schema says', async () => {
    const { agent, end } = open('careful')
    agent.addMessage(user('Refund'))
    await agent.runAgent()
    const interruptId = interruptsIn(end())[0]?.id ?? ''
    for (const payload of [undefined, { approved: 'yes' }, 'yes'])
      await expect(
        agent.runAgent({ resume: [{ interruptId, status: 'resolved', payload }] }),
      ).rejects.toThrow(/HTTP 400.*resume\[0\]\.payload/)
    await agent.runAgent({ resume: [{ interruptId, status: 'cancelled' }] })
    expect(textOf(agent)).toContain('Cancelled')
    const again = agent.runAgent({ resume: [{ interruptId, status: 'cancelled' }] })
    await expect(again).rejects.toThrow('HTTP 409')
  })

  it('resumes a tool that waits in its middle, or cancels its run', async () => {
    const { agent, end } = open('curious')
    agent.addMessage(user('Ask'))
    await agent.runAgent()
    const [interrupt] = interruptsIn(end())
    expect(interrupt).toMatchObject({ reason: 'input_required', responseSchema: { required: ['answer'] } })
    const payload = { answer: '42' }
    await agent.runAgent({ resume: [{ interruptId: interrupt?.id ?? '', status: 'resolved', payload }] })
    expect(textOf(agent)).toContain('42')
    agent.addMessage(user('Ask again', 'm2'))
    await agent.runAgent()
    const interruptId = interruptsIn(end())[0]?.id ?? ''
    await agent.runAgent({ resume: [{ interruptId, status: 'cancelled' }] })
    expect(end().outcome).toEqual({ type: 'cancelled' })
  })

  it('gets an error that a model makes as RUN_ERROR, and a block by a guardrail', async () => {
    for (const [id, message] of [
      ['failing', /^Agent execution failed|not respond|failed/],
      ['blocked', /Not here/],
    ] as const) {
      const { agent, events } = open(id)
      agent.addMessage(user('Go'))
      await agent.runAgent().catch(() => undefined)
      const last = events.at(-1)
      expect(last).toMatchObject({ type: 'RUN_ERROR', message: expect.stringMatching(message) as string })
      expect(JSON.stringify(events)).not.toContain('hunter2')
    }
  })
})

describe('POST /agents/:id/ag-ui', () => {
  const valid = { threadId: 't', runId: 'r', messages: [user('Hi')] }
  const post = (json: unknown) => server.post('/agents/clerk/ag-ui', json)

  it.each([
    [{}, 'threadId'],
    [[], ''],
    [{ ...valid, threadId: '' }, 'threadId'],
    [{ ...valid, runId: 'r'.repeat(257) }, 'runId'],
    [{ ...valid, messages: 'Hi' }, 'messages'],
    [{ ...valid, messages: [] }, 'messages: Must have'],
    [{ ...valid, messages: [{ id: 'm', role: 'boss', content: 'x' }] }, 'messages[0]'],
    [{ ...valid, messages: [user(' ')] }, 'messages[0]'],
    [{ ...valid, messages: Array.from({ length: 1001 }, () => user('x')) }, 'messages: Must not be more'],
    [
      { ...valid, messages: [{ id: 'm', role: 'user', content: [{ type: 'image' }] }] },
      'messages[0].content',
    ],
    [
      {
        ...valid,
        messages: [
          { id: 'm', role: 'user', content: [{ type: 'image', source: { type: 'file', value: 'file-1' } }] },
        ],
      },
      'Files at a provider',
    ],
    [{ ...valid, tools: [{ name: 'a b', description: 'x' }] }, 'tools[0].name'],
    [{ ...valid, tools: [{ name: 'a', description: 'x', parameters: { type: 'nonsense' } }] }, 'schema'],
    [{ ...valid, tools: ['a', 'a'].map((name) => ({ name, description: 'x' })) }, 'another tool named "a"'],
    [{ ...valid, resume: [{ interruptId: 'x', status: 'maybe' }] }, 'resume[0].status'],
  ])('refuses a body with an error of the protocol: %#', async (body, problem) => {
    const response = await post(body)
    const error: unknown = await response.json()
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/json'])
    expect(RunErrorEventSchema.safeParse(error).success).toBe(true)
    expect(error).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(problem) as string,
    })
  })

  it('refuses what is not JSON, and an interrupt that nobody waits with', async () => {
    const broken = await server.request('/agents/clerk/ag-ui', {
      method: 'POST',
      body: '{"threadId":',
      headers: { 'content-type': 'application/json' },
    })
    expect([broken.status, await broken.json()]).toMatchObject([400, { type: 'RUN_ERROR' }])
    const unknown = await post({ ...valid, resume: [{ interruptId: 'x', status: 'cancelled' }] })
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { type: 'RUN_ERROR' }])
    expect(await refusalOf(server.post('/agents/nobody/ag-ui', valid), 404)).toContain('nobody')
  })

  it('has the owner rule of conversations and of decisions', async () => {
    const guarded = new GuardedServer({ agents, authNext: { provider: provider() } })
    const [ada, bob] = [bearer(await tokenOf({ sub: 'ada' })), bearer(await tokenOf({ sub: 'bob' }))]
    const send = (headers: Readonly<Record<string, string>>, json: object) =>
      guarded.request('/agents/careful/ag-ui', { headers, json })
    expect((await send({}, valid)).status).toBe(401)
    const text = await (await send(ada, valid)).text()
    const { id } = interruptsIn(
      JSON.parse(text.trim().split('data: ').at(-1) ?? '') as RunFinishedEvent,
    )[0] as Interrupt
    const resume = [{ interruptId: id, status: 'resolved', payload: { approved: true } }]
    const taken = await send(bob, { ...valid, resume })
    expect([taken.status, await taken.json()]).toMatchObject([404, { type: 'RUN_ERROR' }])
    expect(await (await send(ada, { ...valid, resume })).text()).toContain('done')
    await guarded.close()
  })
})
