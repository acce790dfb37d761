import { createMcpServer, createTool } from 'agentserver'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { TestServer } from '../../support/server/test-server.ts'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { listening } from '../../support/server/listening.ts'
import { textOf, type Message } from '../../support/clients/mcp-session.ts'

const ends = new EventTarget()
const started: string[] = []
const city = z.object({ city: z.string().min(2) })

const journey = createTool({
  name: 'journey',
  description: 'Asks from where, then where to and what the model thinks of it',
  inputSchema: z.object({ timeoutMs: z.number().optional() }),
  execute: async ({ timeoutMs = 5000 }, { elicit, sample, signal, reportProgress, logger }) => {
    if (!elicit) return 'nobody to ask'
    started.push('journey')
    signal.addEventListener('abort', () => ends.dispatchEvent(new Event('aborted')))
    const ask = async (message: string) => {
      const answer = await elicit({ message, schema: city, timeoutMs })
      return answer.action === 'accept' ? answer.content.city : answer.action
    }
    const from = await ask('From?').finally(() => ends.dispatchEvent(new Event('ended')))
    reportProgress?.({ progress: 1 })
    logger.warn('half way')
    const content = { type: 'text', text: from } as const
    const [to, thought] = await Promise.all([
      ask('To?'),
      sample?.({ messages: [{ role: 'user', content }], maxTokens: 5 }),
    ])
    return `${from} to ${to}, ${thought?.content.type === 'text' ? thought.content.text : 'no thought'}`
  },
})
const idle = createTool({
  name: 'idle',
  description: 'Does nothing',
  inputSchema: z.object({}),
  execute: () => 'done',
})

const tools = [journey, idle]
const config = {
  workflows: [],
  mcpServers: [
    createMcpServer({ id: 'shop', name: 'Shop', tools, logging: true }),
    createMcpServer({ id: 'other', name: 'Other', tools }),
  ],
  authNext: { provider: { type: 'test', verifyToken: (token: string) => ({ id: token }) } },
}
const server = new TestServer(config)
const at = listening(server)

interface Sent {
  readonly user?: string
  readonly path?: string
  readonly tool?: string
  readonly input?: object
  readonly capabilities?: object
  readonly state?: unknown
  readonly answers?: object
  readonly meta?: object
  readonly base?: string
}

/** Sends a call of revision 2026-xx, and returns the messages of its response; the last is the result. */
async function send(sent: Sent = {}): Promise<Message[]> {
  const { user = 'grace', path = '/mcp/shop', tool: name = 'journey', input = {}, base = at('') } = sent
  const {
    capabilities = { elicitation: {}, sampling: {} },
    state: requestState,
    answers: inputResponses,
  } = sent
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...sent.meta,
  }
  const params = { name, arguments: input, _meta, requestState, inputResponses }
  const response = await fetch(base + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${user}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const text = await response.text()
  if (response.headers.get('content-type') !== 'text/event-stream') return [JSON.parse(text) as Message]
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Message)
}

interface Asked {
  readonly state: unknown
  readonly requests: Readonly<Record<string, { method: string; params: { message?: string } }>>
}

function askedIn(messages: readonly Message[]): Asked {
  const { result } = messages.at(-1) ?? {}
  expect(result).toMatchObject({ resultType: 'input_required' })
  return { state: result?.['requestState'], requests: result?.['inputRequests'] as Asked['requests'] }
}
const resultOf = (messages: readonly Message[]) => textOf(messages.at(-1) ?? {})
const answersTo = ({ requests }: Asked, town: string) =>
  Object.fromEntries(
    Object.entries(requests).map(([key, { method }]) => [
      key,
      method === 'elicitation/create'
        ? { action: 'accept', content: { city: town } }
        : { role: 'assistant', content: { type: 'text', text: 'fine' }, model: 'm' },
    ]),
  )
const back = (pending: Asked, town: string, more: Sent = {}) =>
  send({ state: pending.state, answers: answersTo(pending, town), ...more })

describe('a tool with a client on revision 2026-xx', () => {
  it('receives the response of the SDK client, and runs once', async () => {
    const capabilities = { elicitation: {}, sampling: {} }
    const client = await connectClient(at('/mcp/shop'), { capabilities })
    client.setRequestHandler('elicitation/create', ({ params }) => ({
      action: 'accept',
      content: { city: params.message === 'From?' ? 'Rome' : 'Paris' },
    }))
    client.setRequestHandler('sampling/createMessage', () => ({
      role: 'assistant',
      content: { type: 'text', text: 'fine' },
      model: 'm',
    }))
    started.length = 0
    const { content } = await client.callTool({ name: 'journey', arguments: {} })
    expect(content).toEqual([{ type: 'text', text: 'Rome to Paris, fine' }])
    expect(started).toHaveLength(1)
    await client.close()
  })

  it('sends parallel requests in one result, and its notifications in the current exchange', async () => {
    const meta = { progressToken: 7, 'io.modelcontextprotocol/logLevel': 'warning' }
    const first = await send({ meta })
    expect(first).toHaveLength(1)
    const from = askedIn(first)
    expect(Object.values(from.requests)).toMatchObject([{ params: { message: 'From?', mode: 'form' } }])
    const second = await back(from, 'Rome', { meta })
    expect(second.map(({ method }) => method)).toEqual([
      'notifications/progress',
      'notifications/message',
      undefined,
    ])
    const to = askedIn(second)
    expect(Object.values(to.requests).map(({ method }) => method)).toEqual([
      'elicitation/create',
      'sampling/createMessage',
    ])
    expect(resultOf(await back(to, 'Paris'))).toBe('Rome to Paris, fine')
  })

  it('repeats a request that has no response', async () => {
    const pending = askedIn(await send())
    const again = askedIn(await send({ state: pending.state, answers: {} }))
    expect(again.requests).toEqual(pending.requests)
    expect(again.state).not.toBe(pending.state)
    askedIn(await back(again, 'Rome'))
  })

  it('sends no requests to a client without the capability', async () => {
    expect(resultOf(await send({ capabilities: {} }))).toBe('nobody to ask')
    const pending = askedIn(await send({ capabilities: { elicitation: { form: {} } } }))
    const to = askedIn(await back(pending, 'Rome', { capabilities: { elicitation: { form: {} } } }))
    expect(resultOf(await back(to, 'Paris'))).toBe('Rome to Paris, no thought')
  })
})

describe('a call that waits for its client', () => {
  const others: readonly [string, Sent][] = [
    ['another user', { user: 'mallory' }],
    ['another server', { path: '/mcp/other' }],
    ['a call of another tool', { tool: 'idle' }],
  ]
  it.each(others)('is not resumed by %s', async (_, more) => {
    const pending = askedIn(await send())
    const [{ error } = {}] = await back(pending, 'Evil', more)
    expect(error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' })
    const to = askedIn(await back(pending, 'Rome'))
    expect(resultOf(await back(to, 'Paris'))).toBe('Rome to Paris, fine')
  })

  it('is resumed once, with its requestState', async () => {
    const pending = askedIn(await send())
    const answers = await Promise.all([back(pending, 'Rome'), back(pending, 'Oslo')])
    expect(answers.filter(([{ error } = {}]) => error?.code === -32602)).toHaveLength(1)
    const [{ error } = {}] = await send({ state: 'f'.repeat(32), answers: {} })
    expect(error?.code).toBe(-32602)
  })

  it('ends when its client does not respond in time', async () => {
    const ended = once(ends, 'ended')
    const pending = askedIn(await send({ input: { timeoutMs: 20 } }))
    await ended
    const [{ error } = {}] = await back(pending, 'Rome')
    expect(error?.code).toBe(-32602)
  })

  it('ends when the server stops', async () => {
    const stopping = new TestServer(config)
    const bound = await stopping.listen()
    askedIn(await send({ base: bound.url }))
    const ended = Promise.all([once(ends, 'aborted'), once(ends, 'ended')])
    await Promise.all([bound.close(0), stopping.close()])
    expect(await ended).toHaveLength(2)
  })

  it('counts towards a limit of 50 per user', async () => {
    const first = await Promise.all(Array.from({ length: 50 }, () => send({ user: 'greedy' })))
    const [pending] = first.map((messages) => askedIn(messages))
    expect(resultOf(await send({ user: 'greedy' }))).toBe(
      'Too many calls are waiting for responses of clients',
    )
    askedIn(await send())
    if (pending) askedIn(await back(pending, 'Rome', { user: 'greedy' }))
  })
})
