import { createAgent, createTool, createWorkflow, demoModel } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

interface Conversation {
  readonly id: string
  readonly title: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly messageCount: number
}

interface Message {
  readonly id: string
  readonly role: string
  readonly parts: readonly Record<string, unknown>[]
}

const look = createTool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({ at: z.string() }),
  execute: ({ at }) => {
    if (at === 'nothing') throw new Error('nothing there')
    return at === 'picture'
      ? { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] }
      : { seen: at }
  },
})
const agent = (id: string) => createAgent({ id, name: id, instructions: 'Help', model: demoModel() })
const looking = createAgent({
  id: 'looking',
  name: 'Looking',
  instructions: 'Look',
  tools: [look],
  model: scriptedModel([
    {
      reasoning: 'I must look',
      text: 'One moment',
      toolCalls: [
        { toolName: 'look', input: { at: 'sky' } },
        { toolName: 'look', input: { at: 'nothing' } },
      ],
    },
    { toolCalls: [{ toolName: 'look', input: { at: 'picture' } }] },
    'It is blue',
    'It still is',
    'Again',
  ]),
})
const endless = createAgent({
  id: 'endless',
  name: 'Endless',
  instructions: 'Wait',
  model: scriptedModel([{ text: 'never', delayMs: Infinity }]),
})
const patient = createAgent({
  id: 'patient',
  name: 'Patient',
  instructions: 'Wait',
  model: scriptedModel([{ text: 'never', delayMs: Infinity }]),
})
const talk = createWorkflow({ id: 'talk' }).andAgent({
  id: 'ask',
  agent: agent('internal'),
  prompt: 'Hi there',
})

const keyOfFickle = { isSet: true }

const refund = createTool({
  name: 'refund',
  description: 'Refunds',
  inputSchema: z.object({ cents: z.number() }),
  needsApproval: true,
  execute: ({ cents }) => ({ cents }),
})
const refunding = { text: 'Let me see', toolCalls: [{ toolName: 'refund', input: { cents: 5 } }] }
const careful = createAgent({
  id: 'careful',
  name: 'Careful',
  instructions: 'Refund',
  tools: [refund],
  model: scriptedModel([refunding, 'Done', refunding], { repeatLast: true }),
})
const fickleModel = scriptedModel([refunding], { repeatLast: true })
const fickle = createAgent({
  id: 'fickle',
  name: 'Fickle',
  instructions: 'Refund',
  tools: [refund],
  model: () => (keyOfFickle.isSet ? fickleModel : 'openai/gpt-4.1-mini'),
})
const server = new TestServer({
  agents: [agent('helper'), agent('other'), looking, endless, patient, careful, fickle],
  workflows: [talk],
})
afterAll(() => server.close())

const say = (id: string, input: unknown, conversationId: string, options: object = {}) =>
  dataOf<{ id: string; traceId: string }>(
    server.post(`/agents/${id}/text`, { input, options: { conversationId, ...options } }),
  )
const listed = (query = '', id = 'helper') =>
  dataOf<Conversation[]>(server.request(`/agents/${id}/conversations${query}`))
const pathOf = (conversation: string, id = 'helper') =>
  `/agents/${id}/conversations/${encodeURIComponent(conversation)}`
const messagesOf = (conversation: string, query = '', id = 'helper') =>
  dataOf<Message[]>(server.request(`${pathOf(conversation, id)}/messages${query}`))

describe('conversations', () => {
  it('are listed with title, times and number of messages, newest first', async () => {
    await say('helper', '  Where is\n my order?  ', 'first')
    await say('helper', 'x'.repeat(500), 'second')
    await say('helper', 'And now?', 'first')
    const [first, second] = await listed()
    expect(first).toEqual({
      id: 'first',
      title: 'Where is my order?',
      createdAt: expect.stringMatching(/Z$/) as string,
      updatedAt: expect.stringMatching(/Z$/) as string,
      messageCount: 4,
    })
    expect(Date.parse(first?.updatedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.createdAt ?? ''))
    expect(second).toMatchObject({ id: 'second', title: `${'x'.repeat(119)}…` })
    const page = await server.request('/agents/helper/conversations?limit=1&offset=1')
    expect(page.headers.get('x-total-count')).toBe('2')
    expect(await dataOf(page)).toMatchObject([{ id: 'second' }])
    expect(await listed('?search=ORDER+where')).toMatchObject([{ id: 'first' }])
    expect(await listed('?search=nowhere')).toEqual([])
  })

  it('belong to a user and to the agents that have answered in them', async () => {
    await say('helper', 'I am Ada', 'mine', { userId: 'ada' })
    await say('other', 'I am Ada', 'of-other', { userId: 'ada' })
    await say('other', 'Me again', 'mine', { userId: 'ada' })
    expect(await listed('?userId=ada')).toMatchObject([{ id: 'mine', messageCount: 4 }])
    expect(await listed('?userId=ada', 'other')).toMatchObject([{ id: 'mine' }, { id: 'of-other' }])
    expect((await listed()).map(({ id }) => id)).not.toContain('mine')
    expect(await messagesOf('mine', '?userId=ada')).toHaveLength(4)
    for (const path of [`${pathOf('mine')}/messages`, `${pathOf('of-other')}/messages?userId=ada`])
      expect(await refusalOf(server.request(path), 404)).toMatch(/^Conversation not found: /)
    expect(await refusalOf(server.request('/agents/nobody/conversations'), 404)).toContain('nobody')
    const all = await dataOf<object[]>(server.request('/observability/conversations?search=Ada'))
    expect(all).toMatchObject([
      { id: 'mine', userId: 'ada', agentIds: ['helper', 'other'] },
      { id: 'of-other', userId: 'ada', agentIds: ['other'] },
    ])
    const of = (query: string) => dataOf<object[]>(server.request(`/observability/conversations?${query}`))
    expect(await of('agentId=helper&userId=ada')).toMatchObject([{ id: 'mine' }])
  })

  it('return UIMessages with reasoning, files and completed tool calls, which can be sent back', async () => {
    const image = 'data:image/png;base64,aGk='
    const question = {
      id: 'q1',
      role: 'user',
      parts: [
        { type: 'text', text: 'What is this?' },
        { type: 'file', mediaType: 'image/png', filename: 'sky.png', url: image },
      ],
    }
    await say('looking', [question], 'sky')
    const messages = await messagesOf('sky', '', 'looking')
    expect(messages).toMatchObject([{ role: 'user', parts: question.parts }, { role: 'assistant' }])
    const call = (input: object, rest: object) =>
      expect.objectContaining({
        type: 'tool-look',
        toolCallId: expect.any(String) as string,
        input,
        ...rest,
      }) as object
    expect(messages[1]?.parts).toEqual([
      { type: 'step-start' },
      { type: 'reasoning', text: 'I must look', state: 'done' },
      { type: 'text', text: 'One moment' },
      call({ at: 'sky' }, { state: 'output-available', output: { seen: 'sky' } }),
      call({ at: 'nothing' }, { state: 'output-error', errorText: 'nothing there' }),
      { type: 'step-start' },
      call(
        { at: 'picture' },
        {
          state: 'output-available',
          output: { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] },
        },
      ),
      { type: 'step-start' },
      { type: 'text', text: 'It is blue' },
    ])
    // the model receives the same when the page sends all messages
    await say('looking', 'And now?', 'sky')
    const again = { id: 'q2', role: 'user', parts: [{ type: 'text', text: 'And now?' }] }
    const edited = { id: 'sky', messages: [...messages, again], messageId: 'q2' }
    await (await server.post('/agents/looking/chat', edited)).text()
    const [stored, sent] = (looking.model as ReturnType<typeof scriptedModel>).calls.slice(-2)
    // AI SDK 7 keeps bytes as base64
    const base64 = (_: string, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
    const plain = (value: unknown) =>
      JSON.parse(JSON.stringify(value, base64).replaceAll(/"providerOptions":\{\},?/g, '')) as unknown
    expect(plain(sent?.prompt)).toEqual(plain(stored?.prompt))
  })

  it('are read backwards with before and limit', async () => {
    for (const n of [1, 2, 3]) await say('helper', `Question ${n}`, 'long')
    const newest = await messagesOf('long', '?limit=3')
    const texts = (messages: readonly Message[]) =>
      messages.map(({ role, parts }) => (role === 'user' ? parts[0]?.['text'] : role))
    expect(texts(newest)).toEqual(['assistant', 'Question 3', 'assistant'])
    const older = await messagesOf('long', `?limit=2&before=${newest[0]?.id}`)
    expect(texts(older)).toEqual(['assistant', 'Question 2'])
    const oldest = await messagesOf('long', `?before=${older[0]?.id}`)
    expect(texts(oldest)).toEqual(['Question 1'])
    expect(await messagesOf('long', `?before=${oldest[0]?.id}`)).toEqual([])
    for (const query of ['before=x', 'limit=0', 'limit=201', 'before=0'])
      await refusalOf(server.request(`${pathOf('long')}/messages?${query}`), 400)
  })

  it('are renamed, and keep their title', async () => {
    await say('helper', 'Old', 'renamed')
    const rename = (title: unknown) => server.request(pathOf('renamed'), { method: 'PATCH', json: { title } })
    expect(await dataOf(rename(' New title '))).toMatchObject({ id: 'renamed', title: 'New title' })
    await say('helper', 'Later', 'renamed')
    expect(await listed('?search=new')).toMatchObject([
      { id: 'renamed', title: 'New title', messageCount: 4 },
    ])
    for (const title of ['  ', 'a\0b', 'x'.repeat(201), 7, undefined]) await refusalOf(rename(title), 400)
    const unknown = server.request(pathOf('unknown'), { method: 'PATCH', json: { title: 'x' } })
    expect(await refusalOf(unknown, 404)).toBe('Conversation not found: unknown')
  })

  it('with any id can be used', async () => {
    const id = 'a/b?c=%2F é'
    await say('helper', 'Odd', id)
    expect(await messagesOf(id)).toHaveLength(2)
    expect(await dataOf(server.request(pathOf(id), { method: 'DELETE' }))).toEqual({ deleted: true })
  })

  it('of a workflow are listed with the agent that its step asks', async () => {
    await server.execute('talk', {}, { conversationId: 'in workflow', userId: 'ada' })
    expect(await listed('?userId=ada', 'internal')).toMatchObject([{ id: 'in workflow', title: 'Hi there' }])
  })
})

describe('a deleted conversation', () => {
  it('has no messages, runs, log records or spans any more', async () => {
    const secret = 'the code is 4711'
    const { traceId } = await say('helper', secret, 'secret', { userId: 'ada' })
    await say('helper', 'keep this', 'kept', { userId: 'ada' })
    const trace = async () => JSON.stringify(await dataOf(server.request(`/observability/traces/${traceId}`)))
    expect(await trace()).toContain(secret)
    expect(await refusalOf(server.request(pathOf('secret'), { method: 'DELETE' }), 404)).toContain('secret')
    const path = `${pathOf('secret')}?userId=ada`
    expect(await dataOf(server.request(path, { method: 'DELETE' }))).toEqual({ deleted: true })
    await refusalOf(server.request(path, { method: 'DELETE' }), 404)
    await refusalOf(server.request(`${pathOf('secret')}/messages?userId=ada`), 404)
    await refusalOf(server.request(`/observability/traces/${traceId}`), 404)
    const runs = await dataOf<object[]>(server.request('/agents/helper/history?userId=ada'))
    expect(JSON.stringify(runs)).not.toContain('4711')
    expect(runs).toMatchObject([{ conversationId: 'kept' }, {}])
    expect(await listed('?userId=ada')).toMatchObject([{ id: 'kept' }, { id: 'mine' }])
  })

  it('ends answers in progress, which are not stored', async () => {
    await say('helper', 'Begin', 'busy')
    const options = { conversationId: 'busy' }
    const answer = server.post('/agents/endless/text', { input: 'Wait', options })
    const running = () => dataOf<object[]>(server.request('/agents/endless/history?status=running'))
    await expect.poll(running).toHaveLength(1)
    await dataOf(server.request(pathOf('busy'), { method: 'DELETE' }))
    expect(await refusalOf(answer, 503)).toBe('The answer was cancelled')
    expect(await dataOf(server.request('/agents/endless/history'))).toEqual([])
    expect((await listed()).map(({ id }) => id)).not.toContain('busy')
  })
})

describe('a conversation whose first answer is not complete', () => {
  it('exists while the answer is generated: it is listed, read, renamed and deleted', async () => {
    const answer = server.post('/agents/patient/text', {
      input: 'Wait for me',
      options: { conversationId: 'early' },
    })
    await expect
      .poll(() => listed('', 'patient'))
      .toMatchObject([{ id: 'early', title: 'Wait for me', messageCount: 1 }])
    expect(await messagesOf('early', '', 'patient')).toMatchObject([
      { role: 'user', parts: [{ type: 'text', text: 'Wait for me' }] },
    ])
    const path = pathOf('early', 'patient')
    expect(await dataOf(server.request(path, { method: 'PATCH', json: { title: 'Soon' } }))).toMatchObject({
      title: 'Soon',
    })
    expect(await dataOf(server.request(path, { method: 'DELETE' }))).toEqual({ deleted: true })
    expect((await answer).status).toBe(503)
    expect(await listed('', 'patient')).toEqual([])
  })

  it('has what the model said before it waits for approval', async () => {
    const waiting = await dataOf<{ id: string; approvals: { approvalId: string }[] }>(
      server.post('/agents/careful/text', { input: 'Money back', options: { conversationId: 'waits' } }),
    )
    expect(await listed('', 'careful')).toMatchObject([{ id: 'waits', messageCount: 2 }])
    const read = () => messagesOf('waits', '', 'careful')
    const [question, answer] = await read()
    expect(question).toMatchObject({ role: 'user', parts: [{ text: 'Money back' }] })
    expect(answer?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'Let me see' },
      { type: 'tool-refund', state: 'approval-requested', input: { cents: 5 } },
    ])
    const approvals = waiting.approvals.map(({ approvalId }) => ({ approvalId, approved: true }))
    await dataOf(server.post(`/agents/careful/runs/${waiting.id}/approvals`, { approvals }))
    expect((await read()).map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(JSON.stringify(await read())).toContain('Done')
    expect(await listed('', 'careful')).toMatchObject([{ id: 'waits', messageCount: 2 }])
  })
})

describe('an answer that waits for approval', () => {
  const begin = (conversationId: string) =>
    dataOf<{ id: string; approvals: { approvalId: string }[] }>(
      server.post('/agents/careful/text', { input: 'Money back', options: { conversationId } }),
    )
  const needed = () => dataOf<{ runId: string }[]>(server.request('/observability/approvals'))
  const approve = (id: string, approvals: readonly { approvalId: string }[]) =>
    server.post(`/agents/careful/runs/${id}/approvals`, {
      approvals: approvals.map(({ approvalId }) => ({ approvalId, approved: true })),
    })

  it('keeps waiting when its chat is stopped: nothing runs there', async () => {
    const { id, approvals } = await begin('stopped')
    expect(await dataOf(server.post('/agents/careful/chat/stopped/stop', {}))).toEqual({ stopped: false })
    expect((await needed()).map(({ runId }) => runId)).toContain(id)
    expect((await approve(id, approvals)).status).toBe(200)
  })

  it.each(['as a whole', 'as a stream'])('has failed when it cannot go on, %s', async (how) => {
    keyOfFickle.isSet = true
    const asked = await dataOf<{ id: string; approvals: { approvalId: string }[] }>(
      server.post('/agents/fickle/text', { input: 'Money back' }),
    )
    keyOfFickle.isSet = false
    vi.stubEnv('OPENAI_API_KEY', '')
    const body = { approvals: asked.approvals.map(({ approvalId }) => ({ approvalId, approved: true })) }
    const route =
      how === 'as a whole'
        ? `/agents/fickle/runs/${asked.id}/approvals`
        : `/observability/agents/fickle/runs/${asked.id}/approvals`
    const response = await server.post(route, body)
    vi.unstubAllEnvs()
    expect(response.status).toBeGreaterThanOrEqual(500)
    expect(await dataOf(server.request('/agents/fickle/history?limit=1'))).toMatchObject([
      { id: asked.id, status: 'error' },
    ])
  })

  it('ends when its conversation is deleted, and needs nobody any more', async () => {
    const { id, approvals } = await begin('dropped')
    expect(await dataOf(server.request(pathOf('dropped', 'careful'), { method: 'DELETE' }))).toEqual({
      deleted: true,
    })
    expect((await needed()).map(({ runId }) => runId)).not.toContain(id)
    expect((await approve(id, approvals)).status).toBe(404)
  })
})
