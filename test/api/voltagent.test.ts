import { createAgent, createTool, createWorkflow, demoModel } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { GuardedServer, bearer, provider, tokenOf } from '../support/server/guarded-server.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { messagesOf } from '../support/server/event-stream.ts'
import { TestServer } from '../support/server/test-server.ts'

const ofOrder = {
  type: 'object',
  properties: { order: { type: 'string' } },
  required: ['order'],
  additionalProperties: false,
} as const
const output = { type: 'object', schema: ofOrder }
const order = { order: 'A-1' }

const lookUp = createTool({
  name: 'look_up',
  description: 'Looks up',
  inputSchema: z.object({}),
  execute: () => 'A-1',
})
const refund = createTool({
  name: 'refund',
  description: 'Refunds',
  inputSchema: z.object({}),
  needsApproval: true,
  execute: () => 'done',
})
const callsFirst = (toolName: string) =>
  scriptedModel(
    [
      ({ prompt }) =>
        prompt.at(-1)?.role === 'tool' ? JSON.stringify(order) : { toolCalls: [{ toolName, input: {} }] },
    ],
    { repeatLast: true },
  )
const finder = createAgent({
  id: 'finder',
  name: 'F',
  instructions: 'x',
  model: callsFirst('look_up'),
  tools: [lookUp],
})
const careful = createAgent({
  id: 'careful',
  name: 'C',
  instructions: 'x',
  model: callsFirst('refund'),
  tools: [refund],
})
const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help', model: demoModel() })
const echo = createWorkflow({ id: 'plain' }).andThen({ id: 'a', execute: () => 'a' })

const server = new TestServer({ agents: [finder, careful, clerk], workflows: [echo] })
afterAll(() => server.close())

interface Memory {
  readonly id: string
  readonly userId: string | null
  readonly resourceId: string
  readonly title: string
  readonly metadata: object
}

const OPTIONS = { memory: { userId: 'ada', conversationId: 'nested', options: { contextLimit: 5 } } }
const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }
const schema = ofOrder

describe('options.memory', () => {
  it.each([
    ['text', { input: 'Hi' }, 'clerk'],
    ['stream', { input: 'Hi' }, 'clerk'],
    ['object', { input: 'Hi', schema }, 'finder'],
    ['stream-object', { input: 'Hi', schema }, 'finder'],
    ['chat', { input: [message] }, 'clerk'],
    ['chat', { input: 'Hi' }, 'clerk'],
  ])('has the user and the conversation of POST /agents/:id/%s: %j', async (route, body, agent) => {
    const conversationId = `of ${route} ${JSON.stringify(body).length}`
    const options = { memory: { ...OPTIONS.memory, conversationId } }
    await (await server.post(`/agents/${agent}/${route}`, { ...body, options })).text()
    const path = `/agents/${agent}/conversations/${encodeURIComponent(conversationId)}/messages?userId=ada`
    const messages = await dataOf<{ role: string }[]>(server.request(path))
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    const [run] = await dataOf<unknown[]>(
      server.request(`/agents/${agent}/history?conversationId=${encodeURIComponent(conversationId)}`),
    )
    expect(run).toMatchObject({ userId: 'ada', conversationId })
  })

  it.each([
    [{ userId: 'bob' }, 'options.memory.userId: Must be the same as options.userId'],
    [{ conversationId: 'x' }, 'options.memory.conversationId: Must be the same as options.conversationId'],
    [{ contextLimit: 4 }, 'options.memory.options.contextLimit: Must be the same as options.contextLimit'],
  ])('must agree with flat options: %j', async (flat, problem) => {
    for (const [route, more] of Object.entries({ text: {}, stream: {}, chat: {}, object: { schema } })) {
      const body = { input: 'Hi', options: { ...OPTIONS, ...flat }, ...more }
      expect(await refusalOf(server.post(`/agents/clerk/${route}`, body), 400)).toContain(problem)
    }
    const trial = { input: 'Hi', options: { ...OPTIONS, ...flat } }
    expect(await refusalOf(server.post('/observability/agents/clerk/trials', trial), 400)).toContain(problem)
  })

  it('may repeat the flat options', async () => {
    const options = { ...OPTIONS, userId: 'ada', conversationId: 'nested', contextLimit: 5 }
    expect(await dataOf(server.post('/agents/clerk/text', { input: 'Hi', options }))).toMatchObject({})
  })

  it('is under the owner rule of conversations', async () => {
    const guarded = new GuardedServer({ agents: [clerk], authNext: { provider: provider() } })
    const [ada, bob] = [bearer(await tokenOf({ sub: 'ada' })), bearer(await tokenOf({ sub: 'bob' }))]
    const ask = (headers: Readonly<Record<string, string>>, route: string) =>
      guarded.request(`/agents/clerk/${route}`, { headers, json: { input: 'Hi', options: OPTIONS } })
    for (const headers of [ada, bob])
      for (const route of ['text', 'chat']) await (await ask(headers, route)).text()
    for (const headers of [ada, bob]) {
      const listed = await guarded.request('/api/memory/conversations', { headers })
      expect(await dataOf(listed)).toMatchObject({ total: 1, conversations: [{ id: 'nested' }] })
    }
    await guarded.close()
  })
})

describe('options.output', () => {
  const body = { input: 'Find it', options: { output } }

  it('asks for an object, after calls of tools', async () => {
    const answer = await dataOf<Record<string, unknown>>(server.post('/agents/finder/text', body))
    expect(answer).toMatchObject({ text: JSON.stringify(order), output: order, object: order })
    expect(answer['toolCalls']).toHaveLength(1)
    const object = await dataOf(server.post('/agents/finder/object', body))
    expect(object).toMatchObject({ output: order, object: order })
  })

  it('is in the last part of streams', async () => {
    const parts = await messagesOf(server.post('/agents/finder/stream', body))
    expect(parts.at(-1)?.event).toMatchObject({ type: 'finish', output: order, object: order })
    const objects = await messagesOf(server.post('/agents/finder/stream-object', body))
    expect(objects.at(-1)?.event).toMatchObject({ type: 'finish', object: order })
    const chat = await (await server.post('/agents/finder/chat', { ...body, id: 'out' })).text()
    expect(chat).toContain(`"output":${JSON.stringify(order)}`)
  })

  it.each([false, true])('is in the answer of a run that has waited (resumable: %s)', async (resumable) => {
    const asked = await dataOf<{ id: string; approvals: { approvalId: string }[] }>(
      server.post('/agents/careful/text', { input: 'Refund', options: { output, resumable } }),
    )
    const approvals = asked.approvals.map(({ approvalId }) => ({ approvalId, approved: true }))
    const answer = await dataOf(server.post(`/agents/careful/runs/${asked.id}/approvals`, { approvals }))
    expect(answer).toMatchObject({ text: JSON.stringify(order), output: order, object: order })
  })

  it('of a plain text answer is left out', async () => {
    const options = { output: { type: 'text' }, resumable: true }
    const answer = await dataOf(server.post('/agents/clerk/text', { input: 'Hi', options }))
    expect(answer).not.toHaveProperty('output')
    const parts = await messagesOf(server.post('/agents/clerk/stream', { input: 'Hi', options }))
    expect(parts.at(-1)?.event).not.toHaveProperty('output')
  })

  it.each([
    ['text', { output: { type: 'xml' } }, {}, 'options.output: Must be'],
    ['text', { output: { type: 'object' } }, {}, 'options.output: Must be'],
    ['object', { output: { type: 'text' } }, {}, 'options.output: Must be of the type "object"'],
    ['object', {}, {}, 'schema: Required'],
    [
      'object',
      { output },
      { schema: { type: 'string' } },
      'options.output.schema: Must be the same as schema',
    ],
    ['text', { output: { type: 'object', schema: { type: 'nonsense' } } }, {}, 'schema'],
  ])('refuses on %s: %j %j', async (route, options, more, problem) => {
    const sent = { input: 'Hi', options, ...more }
    expect(await refusalOf(server.post(`/agents/finder/${route}`, sent), 400)).toContain(problem)
  })
})

describe('POST /agents/:id/chat with input', () => {
  it("streams an answer to VoltAgent's transport", async () => {
    const transport = new DefaultChatTransport<UIMessage>({
      api: 'http://localhost:3141/agents/clerk/chat',
      fetch: (url, init) => server.fetch(new Request(url, init)),
      prepareSendMessagesRequest: ({ messages, id }) => ({
        body: { input: messages, options: { memory: { userId: 'ada', conversationId: id } } },
      }),
    })
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'transport',
      messageId: undefined,
      messages: [message as UIMessage],
      abortSignal: undefined,
    })
    let last: UIMessage | undefined
    for await (const state of readUIMessageStream({ stream })) last = state
    expect(last?.parts.some((part) => part.type === 'text' && part.text !== '')).toBe(true)
    const kept = server.request('/agents/clerk/conversations/transport/messages?userId=ada')
    expect(await dataOf(kept)).toHaveLength(2)
  })

  it.each([
    [{ id: 'a' }, 'messages: Required'],
    [{ messages: [message] }, 'id: Required'],
    [
      { id: 'a', input: 'Hi', options: { conversationId: 'b' } },
      'options.conversationId: Must be the same as id',
    ],
    [{ input: ' ' }, 'input: Must'],
  ])('refuses %j', async (body, problem) => {
    expect(await refusalOf(server.post('/agents/clerk/chat', body), 400)).toContain(problem)
  })
})

describe('unknown options', () => {
  it.each([
    [
      '/agents/clerk/text',
      { conversationID: 'c' },
      'options.conversationID: Unknown option. Did you mean "conversationId"?',
    ],
    ['/agents/clerk/text', { userID: 'c' }, 'Did you mean "userId"?'],
    ['/agents/clerk/text', { temprature: 1 }, 'Did you mean "temperature"?'],
    [
      '/agents/clerk/chat',
      { memory: { userID: 'c' } },
      'options.memory.userID: Unknown option. Did you mean "userId"?',
    ],
    ['/agents/clerk/stream', { memory: { options: { contextlimit: 1 } } }, 'Did you mean "contextLimit"?'],
    ['/workflows/plain/execute', { executionID: 'x' }, 'Did you mean "executionId"?'],
    ['/workflows/plain/stream', { userid: 'x' }, 'Did you mean "userId"?'],
    ['/observability/agents/clerk/trials', { topp: 1 }, 'Did you mean "topP"?'],
  ])('that are similar to a known one are refused: %s %j', async (path, options, problem) => {
    expect(await refusalOf(server.post(path, { input: 'Hi', options }), 400)).toContain(problem)
  })

  it('are ignored, and named in a header and once in the log', async () => {
    const options = {
      memory: { semanticMemory: {} },
      conversationPersistence: {},
      maxRetries: 1,
      resumableStream: true,
      'a\n\u2028,b': 1,
    }
    const other = new TestServer({ agents: [clerk], workflows: [echo] })
    for (const route of ['text', 'stream', 'chat']) {
      const response = await other.post(`/agents/clerk/${route}`, { input: 'Hi', options })
      expect(response.status).toBe(200)
      expect(response.headers.get('x-ignored-options')).toBe(
        'conversationPersistence, maxRetries, resumableStream, a___b, memory.semanticMemory',
      )
      await response.text()
    }
    const run = await other.post('/workflows/plain/execute', { input: {}, options: { workflowState: {} } })
    expect([run.status, run.headers.get('x-ignored-options')]).toEqual([200, 'workflowState'])
    const logged = other.logs.map(({ msg }) => msg)
    expect(logged.filter((text) => String(text).includes('options.maxRetries'))).toEqual([
      'POST /agents/:id/text: options.maxRetries is not known and was ignored',
    ])
    expect(logged.filter((text) => String(text).includes('workflowState'))).toHaveLength(1)
    await other.close()
  })

  it('are absent from the header when there are none, and too many are refused', async () => {
    const response = await server.post('/workflows/plain/execute', {
      input: {},
      options: { metadata: { a: 1 } },
    })
    expect(response.headers.has('x-ignored-options')).toBe(false)
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`${n}`.repeat(99), 1]))
    expect(await refusalOf(server.post('/agents/clerk/text', { input: 'Hi', options: many }), 400)).toBe(
      'options: Has over 50 unknown members',
    )
  })
})

describe('/api/memory/conversations', () => {
  const volt = new TestServer({ agents: [clerk, finder] })
  afterAll(() => volt.close())
  const path = '/api/memory/conversations'
  const read = (query = '') => dataOf<{ conversations: Memory[]; total: number }>(volt.request(path + query))

  it('creates, lists, returns, renames and deletes conversations', async () => {
    const body = { userId: 'ada', conversationId: 'plans', resourceId: 'clerk', title: 'Plans', metadata: {} }
    const { conversation } = await dataOf<{ conversation: Memory }>(volt.post(path, body))
    expect(conversation).toMatchObject({
      id: 'plans',
      userId: 'ada',
      resourceId: 'clerk',
      title: 'Plans',
      metadata: {},
    })
    expect(await refusalOf(volt.post(path, body), 409)).toContain('plans exists already')
    const options = { memory: { userId: 'ada', conversationId: 'plans' } }
    await (await volt.post('/agents/clerk/text', { input: 'Hi', options })).text()
    // VoltAgent's clients name the conversation alone
    const { messages } = await dataOf<{ messages: { role: string }[] }>(
      volt.request(`${path}/plans/messages`),
    )
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(await read('?userId=ada&agentId=clerk')).toMatchObject({
      total: 1,
      limit: 20,
      offset: 0,
      conversations: [{ id: 'plans', title: 'Plans' }],
    })
    expect(await read('?userId=ada&resourceId=finder')).toMatchObject({ total: 0 })
    const renamed = volt.request(`${path}/plans`, { method: 'PATCH', json: { title: 'Trip' } })
    expect(await dataOf(renamed)).toMatchObject({ conversation: { title: 'Trip' } })
    expect(await dataOf(volt.request(`${path}/plans`, { method: 'DELETE' }))).toEqual({ deleted: true })
    expect(await refusalOf(volt.request(`${path}/plans`), 404)).toBe('Conversation not found: plans')
  })

  it('makes an id, and asks for the user when several have the conversation', async () => {
    const { conversation } = await dataOf<{ conversation: Memory }>(volt.post(path, {}))
    expect(conversation).toMatchObject({ userId: null, resourceId: '', title: '' })
    expect(conversation.id).not.toBe('')
    for (const userId of ['ada', 'bob']) await dataOf(volt.post(path, { userId, conversationId: 'both' }))
    expect(await refusalOf(volt.request(`${path}/both`), 400)).toContain('userId: Required')
    const one = await dataOf(volt.request(`${path}/both?userId=bob`))
    expect(one).toMatchObject({ conversation: { userId: 'bob' } })
  })

  it.each([
    [{ metadata: { a: 1 } }, 400, 'metadata: Must be empty'],
    [{ agentId: 'clerk', resourceId: 'finder' }, 400, 'resourceId: Must be the same as agentId'],
    [{ agentId: 'nobody' }, 404, 'nobody'],
    [{ conversationId: '' }, 400, 'conversationId'],
    [{ title: 'a\u0000' }, 400, 'title'],
  ])('refuses to create %j', async (body, status, problem) => {
    expect(await refusalOf(volt.post(path, body), status)).toContain(problem)
  })

  it('has the owner rule of conversations', async () => {
    const guarded = new GuardedServer({ agents: [clerk], authNext: { provider: provider() } })
    const [ada, bob, nameless] = await Promise.all(
      [{ sub: 'ada' }, { sub: 'bob' }, { role: 'clerk' }].map(async (claims) =>
        bearer(await tokenOf(claims)),
      ),
    )
    const send = (headers: Readonly<Record<string, string>> | undefined, target: string, sent = {}) =>
      guarded.request(target, { ...sent, headers: headers ?? {} })
    const create = { json: { conversationId: 'mine', userId: 'bob', title: 'Secret' } }
    expect((await send(undefined, path)).status).toBe(401)
    expect(await dataOf(send(ada, path, create))).toMatchObject({ conversation: { userId: 'ada' } })
    expect(await refusalOf(send(nameless, path, create), 400)).toContain('no id')
    expect(await dataOf(send(bob, path))).toMatchObject({ total: 0, conversations: [] })
    for (const query of ['', '?userId=ada'])
      for (const [target, sent] of [
        [`${path}/mine${query}`, {}],
        [`${path}/mine/messages${query}`, {}],
        [`${path}/mine${query}`, { method: 'PATCH', json: { title: 'Taken', userId: 'ada' } }],
        [`${path}/mine${query}`, { method: 'DELETE' }],
      ] as const)
        expect(await refusalOf(send(bob, target, sent), 404)).toBe('Conversation not found: mine')
    expect(await dataOf(send(ada, `${path}/mine`))).toMatchObject({ conversation: { title: 'Secret' } })
    await guarded.close()
  })
})
