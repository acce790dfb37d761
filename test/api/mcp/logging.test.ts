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
const setLevel = (session: RawSession, level: string) => next(session.request('logging/setLevel', { level }))

async function toldBy(session: RawSession, tool: string): Promise<Message[]> {
  const messages = []
  for await (const message of session.call(tool)) messages.push(message)
  const result = messages.pop()
  expect(textOf(result ?? {})).toBe('done')
  return messages
}
const levelsOf = (messages: readonly Message[]) => messages.map(({ params }) => params?.['level'])

describe('a log record of a tool', () => {
  it('is sent to the client that enabled logging, in the format of the protocol', async () => {
    const session = await open()
    expect(await setLevel(session, 'debug')).toMatchObject({ result: {} })
    const notifications = await toldBy(session, 'chatty')
    expect(notifications.map(({ method }) => method)).toEqual(
      notifications.map(() => 'notifications/message'),
    )
    expect(notifications.map(({ params }) => params)).toMatchObject([
      { level: 'info', logger: 'chatty', data: { message: 'looked up', order: 7 } },
      { level: 'warning', logger: 'chatty', data: { message: 'running low', part: 'stock' } },
      { level: 'error', logger: 'chatty', data: { message: 'gave up', err: { message: 'not there' } } },
    ])
  })

  it('contains no secrets, stacks or internal attributes', async () => {
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
  ])('is sent from the minimum level of the session on: %s', async (level, levels) => {
    const session = await open()
    await setLevel(session, level)
    expect(levelsOf(await toldBy(session, 'chatty'))).toEqual(levels)
  })

  it('is sent to no client without a minimum level, and to no other session or call', async () => {
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

  it('counts towards a limit per call', async () => {
    const session = await open()
    await setLevel(session, 'info')
    const notifications = await toldBy(session, 'flooding')
    expect(notifications).toHaveLength(1000)
    expect(notifications.at(-1)?.params?.['data']).toBe(
      'At most 1000 log records are sent per call; later records are dropped',
    )
  })

  it('is not sent when logging is disabled for the server', async () => {
    const session = await open({ url: at('/mcp/silent') })
    expect((await setLevel(session, 'debug')).error?.code).toBe(-32601)
    expect(await toldBy(session, 'chatty')).toEqual([])
  })

  it('is sent to a client on revision 2026-xx that sets a level with its call', async () => {
    const notifications: unknown[] = []
    const client = await connectClient(at('/mcp/shop'))
    client.setNotificationHandler('notifications/message', ({ params }) => void notifications.push(params))
    const call = (meta: object) => client.callTool({ name: 'chatty', arguments: {}, _meta: { ...meta } })
    await call({})
    expect(notifications).toEqual([])
    await call({ 'io.modelcontextprotocol/logLevel': 'warning' })
    expect(notifications).toMatchObject([{ level: 'warning' }, { level: 'error' }])
    await client.close()
  })
})

describe('the level', () => {
  it('requires a session and must be one of the protocol', async () => {
    const nobody = new RawSession({ url: at('/mcp/shop'), user: 'grace' })
    expect((await setLevel(nobody, 'info')).error?.message).toContain('Mcp-Session-Id')
    const session = await open()
    expect((await setLevel(session, 'loud')).error?.code).toBeLessThan(0)
    expect(await toldBy(session, 'chatty')).toEqual([])
  })
})
