import { createMcpServer, createTool } from 'agentserver'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { TestServer } from '../../support/server/test-server.ts'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { listening } from '../../support/server/listening.ts'
import { next, RawSession, textOf, type Message } from '../../support/clients/mcp-session.ts'

const chatty = createTool({
  name: 'chatty',
  description: 'Logs at every level',
  inputSchema: z.object({}),
  execute: (_, { logger }) => {
    logger.debug('for developers')
    logger.info({ order: 7, apiKey: 'k-123', header: 'Bearer abcdefghijklmnop' }, 'looked up')
    logger.child({ part: 'stock' }).warn('running low')
    logger.error({ err: new Error('not there') }, 'gave up')
    return 'done'
  },
})
const flooding = createTool({
  name: 'flooding',
  description: 'Logs without end',
  inputSchema: z.object({}),
  execute: (_, { logger }) => {
    for (let index = 0; index < 3000; index++) logger.info(`record ${index}`)
    return 'done'
  },
})
const quiet = createTool({
  name: 'quiet',
  description: 'Waits, and logs nothing',
  inputSchema: z.object({}),
  execute: () => new Promise((resolve) => setTimeout(resolve, 100, 'done')),
})

const tools = [chatty, flooding, quiet]
const server = new TestServer({
  workflows: [],
  mcpServers: [
    createMcpServer({ id: 'shop', name: 'Shop', tools, logging: true }),
    createMcpServer({ id: 'silent', name: 'Silent', tools }),
  ],
  authNext: { provider: { type: 'test', verifyToken: (token) => ({ id: token }) } },
})
const at = listening(server)

const open = (more: object = {}) => RawSession.open({ url: at('/mcp/shop'), user: 'grace', ...more })
const setLevel = (session: RawSession, level: string) => next(session.ask('logging/setLevel', { level }))

async function toldBy(session: RawSession, tool: string): Promise<Message[]> {
  const messages = []
  for await (const message of session.call(tool)) messages.push(message)
  const result = messages.pop()
  expect(textOf(result ?? {})).toBe('done')
  return messages
}
const levelsOf = (messages: readonly Message[]) => messages.map(({ params }) => params?.['level'])

describe('what a tool logs', () => {
  it('is told to the client that asked for it, in its words', async () => {
    const session = await open()
    expect(await setLevel(session, 'debug')).toMatchObject({ result: {} })
    const told = await toldBy(session, 'chatty')
    expect(told.map(({ method }) => method)).toEqual(told.map(() => 'notifications/message'))
    expect(told.map(({ params }) => params)).toMatchObject([
      { level: 'info', logger: 'chatty', data: { message: 'looked up', order: 7 } },
      { level: 'warning', logger: 'chatty', data: { message: 'running low', part: 'stock' } },
      { level: 'error', logger: 'chatty', data: { message: 'gave up', err: { message: 'not there' } } },
    ])
  })

  it('has no secrets in it, no stacks and nothing of ours', async () => {
    const session = await open()
    await setLevel(session, 'debug')
    const text = JSON.stringify(await toldBy(session, 'chatty'))
    for (const secret of ['k-123', 'abcdefghijklmnop', 'stack', 'mcpCall', 'mcpServer', '.test.ts'])
      expect(text).not.toContain(secret)
  })

  it.each([
    ['warning', ['warning', 'error']],
    ['error', ['error']],
    ['emergency', []],
  ])('is told from the level of the session on: %s', async (level, levels) => {
    const session = await open()
    await setLevel(session, level)
    expect(levelsOf(await toldBy(session, 'chatty'))).toEqual(levels)
  })

  it('is told to no client that did not ask, nor to other sessions and calls', async () => {
    const [asking, other] = [await open(), await open()]
    await setLevel(asking, 'debug')
    const waiting = toldBy(asking, 'quiet')
    expect(await toldBy(other, 'chatty')).toEqual([])
    expect(await waiting).toEqual([])
    const stolen = new RawSession({
      url: at('/mcp/shop'),
      user: 'mallory',
      ...(asking.id !== undefined && { id: asking.id }),
    })
    expect(await toldBy(stolen, 'chatty')).toEqual([])
  })

  it('is bounded in number', async () => {
    const session = await open()
    await setLevel(session, 'info')
    const told = await toldBy(session, 'flooding')
    expect(told).toHaveLength(1000)
    expect(told.at(-1)?.params?.['data']).toBe(
      'At most 1000 log records are sent per call; later records are dropped',
    )
  })

  it('stays where it is when the server says so', async () => {
    const session = await open({ url: at('/mcp/silent') })
    expect((await setLevel(session, 'debug')).error?.code).toBe(-32601)
    expect(await toldBy(session, 'chatty')).toEqual([])
  })

  it('is told to a client of 2026 that asks for it with its call', async () => {
    const told: unknown[] = []
    const client = await connectClient(at('/mcp/shop'))
    client.setNotificationHandler('notifications/message', ({ params }) => void told.push(params))
    const call = (meta: object) => client.callTool({ name: 'chatty', arguments: {}, _meta: { ...meta } })
    await call({})
    expect(told).toEqual([])
    await call({ 'io.modelcontextprotocol/logLevel': 'warning' })
    expect(told).toMatchObject([{ level: 'warning' }, { level: 'error' }])
    await client.close()
  })
})

describe('the level', () => {
  it('needs a session and is one of the protocol', async () => {
    const nobody = new RawSession({ url: at('/mcp/shop'), user: 'grace' })
    expect((await setLevel(nobody, 'info')).error?.message).toContain('Mcp-Session-Id')
    const session = await open()
    expect((await setLevel(session, 'loud')).error?.code).toBeLessThan(0)
    expect(await toldBy(session, 'chatty')).toEqual([])
  })
})
