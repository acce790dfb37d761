import type { Client } from '@modelcontextprotocol/client'
import { createMcpServer, createTool, createWorkflow } from 'agentserver'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { add } from '../../support/server/sample-tools.ts'
import { TestServer } from '../../support/server/test-server.ts'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { listening } from '../../support/server/listening.ts'
import { next, RawSession, textOf } from '../../support/clients/mcp-session.ts'

const ends = new EventTarget()
const address = z.object({ city: z.string().min(2), express: z.boolean().default(false) })

const deliver = createTool({
  name: 'deliver',
  description: 'Asks where to',
  inputSchema: z.object({ timeoutMs: z.number().optional() }),
  execute: async ({ timeoutMs }, { elicit, signal }) => {
    if (!elicit) return 'nobody to ask'
    signal.addEventListener('abort', () => ends.dispatchEvent(new Event('aborted')))
    const request = { message: 'Where to?', schema: address, ...(timeoutMs !== undefined && { timeoutMs }) }
    const answer = await elicit(request).finally(() => ends.dispatchEvent(new Event('ended')))
    return answer.action === 'accept' ? `to ${answer.content.city}, ${answer.content.express}` : answer.action
  },
})
const summarise = createTool({
  name: 'summarise',
  description: 'Has the model of its client answer',
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }, { sample }) => {
    if (!sample) return 'no model to ask'
    const messages = [{ role: 'user', content: { type: 'text', text } } as const]
    return sample({ messages, maxTokens: 50, systemPrompt: 'Be short' })
  },
})
const nested = createTool({
  name: 'nested',
  description: 'Asks for what no form can ask',
  inputSchema: z.object({}),
  execute: async (_, { elicit }) => {
    const schema = z.object({ home: z.object({ city: z.string() }) })
    return elicit?.({ message: 'Where?', schema }).catch((error: unknown) => String(error))
  },
})
const many = createTool({
  name: 'many',
  description: 'Asks many things at once',
  inputSchema: z.object({}),
  execute: async (_, { elicit }) => {
    const ask = async () => elicit?.({ message: 'Where to?', schema: address, timeoutMs: 500 })
    const answers = await Promise.allSettled(Array.from({ length: 20 }, ask))
    return answers.map((answer) => (answer.status === 'rejected' ? String(answer.reason) : 'answered'))
  },
})

const approval = createWorkflow({ id: 'approval', name: 'Approval' }).andThen({
  id: 'ask',
  resumeSchema: z.object({ approved: z.boolean() }),
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('Approve?'),
})

const tools = [deliver, summarise, nested, many]
const config = {
  workflows: [],
  mcpServers: [
    createMcpServer({ id: 'shop', name: 'Shop', tools }),
    createMcpServer({ id: 'other', name: 'Other', tools }),
    createMcpServer({ id: 'forms', name: 'Forms', workflows: [approval] }),
    createMcpServer({ id: 'plain', name: 'Plain', tools: [add] }),
  ],
  authNext: { provider: { type: 'test', verifyToken: (token: string) => ({ id: token }) } },
}
const server = new TestServer(config)
const at = listening(server)

const open = (more: object = {}) => RawSession.open({ url: at('/mcp/shop'), user: 'grace', ...more })
const accept = { action: 'accept', content: { city: 'Paris' } }

describe('a tool', () => {
  const form = { properties: { city: { type: 'string', minLength: 2 } }, required: ['city'] }

  async function clientThat(answers: (request: unknown) => object): Promise<Client> {
    const capabilities = { elicitation: {}, sampling: {} }
    const client = await connectClient(at('/mcp/shop'), { mode: 'legacy', capabilities })
    client.setRequestHandler('elicitation/create', ({ params }) => answers(params) as { action: 'accept' })
    client.setRequestHandler('sampling/createMessage', ({ params }) => answers(params) as never)
    return client
  }
  const answerTo = async (name: string, input: object, answers: (request: unknown) => object) => {
    const client = await clientThat(answers)
    const result = await client.callTool({ name, arguments: { ...input } })
    await client.close()
    return result
  }

  it('elicits a form from the user of its client, with the defaults of the schema', async () => {
    const requests: unknown[] = []
    const result = await answerTo('deliver', {}, (form) => {
      requests.push(form)
      return accept
    })
    expect(requests).toMatchObject([{ mode: 'form', message: 'Where to?', requestedSchema: form }])
    expect(result.content).toEqual([{ type: 'text', text: 'to Paris, false' }])
  })

  it.each(['decline', 'cancel'])(
    'receives the action when the user does not accept the form: %s',
    async (action) => {
      const { content } = await answerTo('deliver', {}, () => ({ action }))
      expect(content).toEqual([{ type: 'text', text: action }])
    },
  )

  it('never receives a form that does not match the schema', async () => {
    const result = await answerTo('deliver', {}, () => ({ action: 'accept', content: { city: 'X' } }))
    expect(result).toMatchObject({ isError: true, content: [{ text: 'Tool "deliver" failed' }] })
    expect(JSON.stringify(server.logs.at(-1))).toContain('content.city')
  })

  it('fails when the schema cannot be a form', async () => {
    const { content } = await answerTo('nested', {}, () => accept)
    expect(JSON.stringify(content)).toContain('properties.home')
  })

  it("requests a completion from the client's model", async () => {
    const requests: unknown[] = []
    const completion = {
      role: 'assistant',
      content: { type: 'text', text: 'Short.' },
      model: 'm',
      stopReason: 'endTurn',
    }
    const result = await answerTo('summarise', { text: 'A long story' }, (message) => {
      requests.push(message)
      return completion
    })
    expect(requests).toMatchObject([
      { messages: [{ content: { text: 'A long story' } }], maxTokens: 50, systemPrompt: 'Be short' },
    ])
    expect(result.structuredContent).toEqual(completion)
  })

  it.each([
    [{}, 'nobody to ask', 'no model to ask'],
    [{ elicitation: { url: {} }, sampling: true }, 'nobody to ask', 'no model to ask'],
  ])('sends no requests to a client that declares only %j', async (capabilities, delivered, summarised) => {
    const session = await open({ capabilities })
    expect(textOf(await next(session.call('deliver')))).toBe(delivered)
    expect(textOf(await next(session.call('summarise', { text: '' })))).toBe(summarised)
  })

  it('sends no requests to a client without a session', async () => {
    const client = new RawSession({ url: at('/mcp/shop'), user: 'grace' })
    expect(textOf(await next(client.call('deliver')))).toBe('nobody to ask')
  })
})

describe('a client request', () => {
  it('fails when the client returns an error', async () => {
    const session = await open()
    const stream = session.call('deliver')
    const { id } = await next(stream)
    await session.send({ id, error: { code: -1, message: 'The window is closed' } })
    expect(textOf(await next(stream))).toBe('The client returned an error: The window is closed')
  })

  it('is cancelled on a timeout, and a late response is ignored', async () => {
    const session = await open()
    const stream = session.call('deliver', { timeoutMs: 20 })
    const { id } = await next(stream)
    expect(await next(stream)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: id },
    })
    expect(textOf(await next(stream))).toBe('The client did not respond within 20 ms')
    expect((await session.send({ id, result: accept })).status).toBe(202)
  })

  it('ends when the client disconnects', async () => {
    const session = await open()
    const left = new AbortController()
    const [aborted, ended] = [once(ends, 'aborted'), once(ends, 'ended')]
    await next(session.call('deliver', {}, left.signal))
    left.abort()
    expect(await Promise.all([aborted, ended])).toHaveLength(2)
  })

  it('ends when the client cancels the call', async () => {
    const session = await open()
    const stream = session.call('deliver')
    await next(stream)
    const ended = once(ends, 'ended')
    await session.send({ method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(await ended).toHaveLength(1)
  })

  it('ends when the server stops', async () => {
    const stopping = new TestServer(config)
    const bound = await stopping.listen()
    const session = await RawSession.open({ url: `${bound.url}/mcp/shop`, user: 'grace' })
    await next(session.call('deliver'))
    const ended = once(ends, 'ended')
    await Promise.all([bound.close(0), stopping.close()])
    expect(await ended).toHaveLength(1)
  })

  it('belongs to its own call when several run', async () => {
    const session = await open()
    const streams = [session.call('deliver'), session.call('deliver')]
    const [one, other] = await Promise.all(streams.map((stream) => next(stream)))
    expect(one?.id).not.toBe(other?.id)
    await session.send({ id: other?.id, result: { action: 'accept', content: { city: 'Rome' } } })
    await session.send({ id: one?.id, result: accept })
    const [first, second] = await Promise.all(streams.map((stream) => next(stream)))
    expect([first && textOf(first), second && textOf(second)]).toEqual(['to Paris, false', 'to Rome, false'])
  })

  it('is rejected when too many are pending', async () => {
    const session = await open()
    const seen = []
    for await (const message of session.call('many')) seen.push(message)
    const answers = JSON.parse(textOf(seen.at(-1) ?? {})) as string[]
    expect(seen.filter(({ method }) => method === 'elicitation/create')).toHaveLength(16)
    expect(answers.filter((answer) => answer.includes('already has 16 pending requests'))).toHaveLength(4)
    expect(answers.filter((answer) => answer.includes('did not respond within 500 ms'))).toHaveLength(16)
  })
})

const callOf = (name: string) => ({ id: 1, method: 'tools/call', params: { name, arguments: {} } })

describe('an unknown session', () => {
  const forgotten = (serverId: string) =>
    new RawSession({ url: at(`/mcp/${serverId}`), user: 'grace', id: 'f'.repeat(32) })

  it.each(['shop', 'forms'])(
    'is a 404 at a server that sends requests to its clients: %s',
    async (serverId) => {
      const session = forgotten(serverId)
      for (const message of [{ id: 1, method: 'tools/list' }, { method: 'notifications/initialized' }]) {
        const response = await session.send(message)
        expect([response.status, await response.text()]).toEqual([
          404,
          expect.stringContaining('start a new one with initialize') as string,
        ])
      }
      const headers = { authorization: 'Bearer grace', 'mcp-session-id': session.id ?? '' }
      expect((await fetch(at(`/mcp/${serverId}`), { headers })).status).toBe(404)
      const clientInfo = { name: 'raw', version: '1' }
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
      const response = await session.send({ id: 0, method: 'initialize', params })
      expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f]{32}$/)
      await response.text()
    },
  )

  it('is served without a session elsewhere', async () => {
    expect(textOf(await next(forgotten('plain').call('add', { a: 1, b: 2 })))).toBe('{"sum":3}')
  })
})

describe('a response from another client', () => {
  const others: readonly [string, number, (id: string | undefined) => Promise<RawSession>][] = [
    ['another user with the id of the session', 404, async (id) => rawOf({ user: 'mallory', id })],
    ['another user in a session of his own', 202, () => open({ user: 'mallory' })],
    ['the same user in another session', 202, () => open()],
    ['a client with an id that there is not', 404, async () => rawOf({ id: 'f'.repeat(32) })],
    ['a client of another server', 404, async (id) => rawOf({ url: at('/mcp/other'), id })],
    ['a client without a session', 202, async () => rawOf({})],
  ]
  const rawOf = ({ id, ...more }: { user?: string; url?: string; id?: string | undefined }) =>
    new RawSession({ url: at('/mcp/shop'), user: 'grace', ...more, ...(id !== undefined && { id }) })

  it.each(others)('%s', async (_, status, intruder) => {
    const session = await open()
    const stream = session.call('deliver')
    const { id } = await next(stream)
    const foreign = await intruder(session.id)
    const sent = await foreign.send({ id, result: { action: 'accept', content: { city: 'Evil' } } })
    expect(sent.status).toBe(status)
    await session.send({ id, result: accept })
    expect(textOf(await next(stream))).toBe('to Paris, false')
  })

  it('is impossible, because requests are only sent in the session of the call', async () => {
    const session = await open()
    const mallory = rawOf({ user: 'mallory', id: session.id })
    expect((await mallory.send(callOf('deliver'))).status).toBe(404)
  })
})

it('a user who opens too many sessions loses the oldest, and other users lose none', async () => {
  const [mine, first] = [await open({ user: 'ada' }), await open({ user: 'greedy' })]
  for (let index = 0; index < 100; index++) await open({ user: 'greedy' })
  const answer = (session: RawSession) => session.send({ id: 'x', result: {} })
  expect([(await answer(mine)).status, (await answer(first)).status]).toEqual([202, 404])
})
