import { getEventListeners } from 'node:events'
import { createAgent, createTool } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { AgentAnswer, AgentRunRecord } from '../../src/contract/endpoints/agent.ts'
import { createDeferred, type Deferred } from '../../src/lib/async/wake-up.ts'
import { readerOf, sseMessages } from '../support/server/event-stream.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const authNext = {
  provider: { type: 'test', verifyToken: (id: string) => (id === 'nameless' ? {} : { id }) },
}
const as = (user: string) => ({ Authorization: `Bearer ${user}` })

describe('an answer', () => {
  let server: TestServer
  /** The tool returns when it is resolved. */
  let gate: Deferred<void>
  let waiting: Deferred<AbortSignal>

  beforeEach(() => {
    gate = createDeferred()
    waiting = createDeferred()
    const wait = createTool({
      name: 'wait',
      description: 'Waits',
      inputSchema: z.object({}),
      execute: async (_, { signal }) => {
        waiting.resolve(signal)
        await gate.promise
        return 'waited'
      },
    })
    const model = () =>
      scriptedModel([{ text: 'Before. ', toolCalls: [{ toolName: 'wait', input: {} }] }, 'After.', 'Again.'])
    const common = { name: 'X', instructions: 'x', tools: [wait] }
    server = new TestServer({
      agents: [
        createAgent({ ...common, id: 'kept', model: model(), resumable: true }),
        createAgent({ ...common, id: 'plain', model: model() }),
      ],
      authNext,
    })
  })
  afterEach(() => server.close())

  const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }
  const post = (path: string, json: unknown, options: { user?: string; signal?: AbortSignal } = {}) => {
    const { user = 'ann', signal } = options
    return server.request(path, { json, headers: as(user), ...(signal && { signal }) })
  }
  const chat = (id: string, options: { signal?: AbortSignal } = {}) =>
    post(`/agents/${id}/chat`, { id: 'talk', messages: [message] }, options)
  const resume = (id: string, user = 'ann') =>
    server.request(`/agents/${id}/chat/talk/stream`, { headers: as(user) })
  const stop = async (id: string, user = 'ann') =>
    dataOf<{ stopped: boolean }>(await post(`/agents/${id}/chat/talk/stop`, {}, { user }))
  const runs = async (id: string) => {
    const reply = await server.request(`/agents/${id}/history`, {
      headers: { 'x-service-dev': 'true' },
    })
    return dataOf<AgentRunRecord[]>(reply)
  }
  const ended = async (id: string) => {
    await expect.poll(async () => (await runs(id))[0]?.status).not.toBe('running')
    return (await runs(id))[0]
  }
  const chunksOf = (text: string) =>
    sseMessages(text.replace(/data: \[DONE\]\n\n$/, '')).map(({ event }) => event)

  it('of a resumable agent goes on when the client leaves, and is read from its start', async () => {
    const left = await chat('kept')
    await readerOf(left).until(/tool-input-available/)
    await left.body?.cancel().catch(() => undefined)
    const signal = await waiting.promise
    const readers = [await resume('kept'), await resume('kept')]
    for (const { status, headers } of readers) {
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
      expect(headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    }
    expect(signal.aborted).toBe(false)
    gate.resolve()
    const [first, second] = await Promise.all(readers.map((reader) => reader.text()))
    expect(first).toBe(second)
    expect(first).toMatch(/data: \[DONE\]\n\n$/)
    const types = chunksOf(first as string).map(({ type }) => type)
    expect(types.slice(0, 3)).toEqual(['start', 'start-step', 'text-start'])
    expect(types.at(-1)).toBe('finish')
    expect(await ended('kept')).toMatchObject({ status: 'completed', output: 'After.' })
    expect((await resume('kept')).status).toBe(204)
  })

  it('that nobody left is the same as one of an agent that is not resumable', async () => {
    gate.resolve()
    const texts = await Promise.all(['kept', 'plain'].map(async (id) => (await chat(id)).text()))
    const [kept, plain] = texts.map((text) =>
      chunksOf(text).map(({ type, ...chunk }) => ({ type, keys: Object.keys(chunk).toSorted() })),
    )
    expect(kept).toEqual(plain)
  })

  it('is not kept in memory by listeners of composite signals, when it has ended', async () => {
    const any = vi.spyOn(AbortSignal, 'any')
    gate.resolve()
    await (await chat('kept')).text()
    await (await post('/agents/kept/text', { input: 'Hi' })).text()
    const signals = any.mock.results.map(({ value }) => value as AbortSignal)
    any.mockRestore()
    expect(signals.length).toBeGreaterThan(2)
    const listenedTo = () => signals.filter((signal) => getEventListeners(signal, 'abort').length > 0)
    await expect.poll(() => listenedTo().length).toBe(0)
  })

  it('is resumed by the transport of the AI SDK', async () => {
    const transport = new DefaultChatTransport({
      api: 'http://localhost:3141/agents/kept/chat',
      headers: as('ann'),
      fetch: (url, init) => server.fetch(new Request(url, init)),
    })
    expect(await transport.reconnectToStream({ chatId: 'talk' })).toBeNull()
    const first = await chat('kept')
    await waiting.promise
    const stream = await transport.reconnectToStream({ chatId: 'talk' })
    gate.resolve()
    let last: UIMessage | undefined
    for await (const next of readUIMessageStream({ stream: stream as ReadableStream<UIMessageChunk> }))
      last = next
    expect(last?.parts.filter(({ type }) => type === 'text')).toMatchObject([
      { text: 'Before. ' },
      { text: 'After.' },
    ])
    await first.text()
  })

  it('is aborted when the client leaves, without the option', async () => {
    const left = await chat('plain')
    const reader = readerOf(left)
    await reader.until(/tool-input-available/)
    const signal = await waiting.promise
    expect((await resume('plain')).status).toBe(204)
    await reader.cancel()
    expect(signal.aborted).toBe(true)
    expect(await ended('plain')).toMatchObject({ status: 'aborted' })
  })

  it.each([
    ['text', {}],
    ['stream', {}],
    ['object', { schema: { type: 'object' } }],
    ['stream-object', { schema: { type: 'object' } }],
  ])('over /%s goes on when the client leaves', async (delivery, extra) => {
    const abort = new AbortController()
    const asked = post(`/agents/kept/${delivery}`, { input: 'Hi', ...extra }, { signal: abort.signal })
    const text = asked.then((response) => response.text()).catch(() => 'left')
    const signal = await waiting.promise
    abort.abort()
    await text
    expect(signal.aborted).toBe(false)
    gate.resolve()
    const run = await ended('kept')
    // "After." is no object
    expect(run?.status).toBe('schema' in extra ? 'error' : 'completed')
  })

  it('is resumable by the option of a request, and not without it', async () => {
    const body = { id: 'talk', messages: [message] }
    const one = await post('/agents/plain/chat', { ...body, options: { resumable: true } })
    await waiting.promise
    expect((await resume('plain')).status).toBe(200)
    gate.resolve()
    await one.text()
    const other = await post('/agents/kept/chat', { ...body, options: { resumable: false } })
    expect((await resume('kept')).status).toBe(204)
    await other.text()
  })

  it('is stopped by its chat', async () => {
    expect(await stop('kept')).toEqual({ stopped: false })
    const answer = await chat('kept')
    await waiting.promise
    const reader = await resume('kept')
    expect(await stop('kept')).toEqual({ stopped: true })
    expect(await stop('kept')).toEqual({ stopped: false })
    for (const each of [answer, reader]) expect(chunksOf(await each.text()).at(-1)).toEqual({ type: 'abort' })
    expect(await ended('kept')).toMatchObject({ status: 'aborted', output: 'Before. ' })
    expect((await resume('kept')).status).toBe(204)
  })

  it('of a plain agent is stopped, too', async () => {
    // AI SDK 7 reads the model only as far as somebody reads the answer
    const text = (await chat('plain')).text()
    await waiting.promise
    expect(await stop('plain')).toEqual({ stopped: true })
    expect(chunksOf(await text).at(-1)).toEqual({ type: 'abort' })
  })

  it('is not there for other users, other agents and unknown ones', async () => {
    const answer = await chat('kept')
    await waiting.promise
    for (const user of ['bob', 'nameless']) {
      expect((await resume('kept', user)).status).toBe(204)
      expect(await stop('kept', user)).toEqual({ stopped: false })
    }
    expect((await resume('plain')).status).toBe(204)
    expect((await resume('unknown')).status).toBe(204)
    for (const path of [
      `kept/chat/${'x'.repeat(300)}`,
      `${'x'.repeat(300)}/chat/talk`,
      'no agent/chat/a%00b%FF',
    ])
      expect((await server.request(`/agents/${path}/stream`, { headers: as('ann') })).status).toBe(204)
    gate.resolve()
    expect(chunksOf(await answer.text()).at(-1)).toMatchObject({ type: 'finish' })
  })

  it('is read by a client that is slower than the model, and by one that comes late', async () => {
    const answer = await chat('kept')
    await waiting.promise
    gate.resolve()
    await ended('kept')
    expect(chunksOf(await answer.text()).map(({ type }) => type)).toContain('tool-output-available')
  })
})

describe('the record of an answer', () => {
  let server: TestServer
  afterEach(() => server.close())

  const text = async (path: string) => dataOf<AgentAnswer>(server.post(path, { input: 'Hi' }))

  it('has results of tools up to limits.resultBytes: a larger one is a failed call', async () => {
    const read = createTool({
      name: 'read',
      description: 'Reads',
      inputSchema: z.object({}),
      execute: () => 'x'.repeat(2000),
    })
    const model = () => scriptedModel([{ toolCalls: [{ toolName: 'read', input: {} }] }, 'Done'])
    const agent = (id: string, resumable: boolean) =>
      createAgent({ id, name: 'X', instructions: 'x', model: model(), tools: [read], resumable })
    server = new TestServer({
      agents: [agent('kept', true), agent('plain', false)],
      limits: { resultBytes: 1500 },
    })
    expect((await text('/agents/plain/text')).toolResults).toMatchObject([{ output: 'x'.repeat(2000) }])
    expect(await text('/agents/kept/text')).toMatchObject({
      text: 'Done',
      toolResults: [{ error: 'The result is 2002 bytes of JSON; the limit is 1500' }],
    })
  })

  it('has answers of models up to the limit, too', async () => {
    const agent = { id: 'kept', name: 'X', instructions: 'x', model: scriptedModel(['x'.repeat(2000)]) }
    server = new TestServer({
      agents: [createAgent({ ...agent, resumable: true })],
      limits: { resultBytes: 1500 },
    })
    const refused = await refusalOf(server.post('/agents/kept/text', { input: 'Hi' }), 500)
    expect(refused).toContain("The model's answer is")
  })
})
