import { expect, it } from 'vitest'
import { CHANNELS } from '../../../src/contract/channels.ts'
import type { LogRecord } from '../../../src/contract/endpoints/log.ts'
import { LogFeed } from '../../../src/observability/logs/log-feed.ts'
import { logChannel } from '../../../src/ws/live-channels.ts'
import { FakeSocket } from '../../support/clients/fake-socket.ts'

const record = (message: string, more: Partial<LogRecord> = {}): LogRecord => ({
  id: '1',
  timestamp: '2026-01-01T00:00:00.000Z',
  level: 'info',
  message,
  attributes: {},
  traceId: null,
  spanId: null,
  executionId: null,
  ...more,
})

const TRACE = 'ab'.repeat(16)

const RECORDS = [
  record('Charging A-1', { level: 'debug', executionId: 'e1', traceId: TRACE }),
  record('charged', { attributes: { orderId: 'A-1' }, executionId: 'e1' }),
  record('Slow answer', { level: 'warn', traceId: TRACE }),
  record('Charge failed', { level: 'error', executionId: 'e2' }),
]

function listening(query: Readonly<Record<string, string>> = {}) {
  const feed = new LogFeed()
  const socket = new FakeSocket()
  void logChannel(feed)(socket.asSocket, CHANNELS.logs.query.parse(query), {
    admission: { user: undefined, by: 'console' },
    onRenewed: () => undefined,
  })
  const messages = () => (socket.sent as { data: LogRecord }[]).map(({ data }) => data.message)
  return { feed, socket, messages }
}

it('the log channel sends every record as it is written', () => {
  const { feed, socket } = listening()
  for (const one of RECORDS) feed.publish(one)
  expect(socket.sent).toEqual(RECORDS.map((data) => ({ type: 'log', data })))
})

it.each([
  [{ level: 'warn' }, ['Slow answer', 'Charge failed']],
  [{ level: 'fatal' }, []],
  [{ q: 'CHARG' }, ['Charging A-1', 'charged', 'Charge failed']],
  [{ q: 'a-1 charged' }, ['charged']],
  [{ q: 'charg', level: 'error' }, ['Charge failed']],
  [{ executionId: 'e1' }, ['Charging A-1', 'charged']],
  [{ traceId: TRACE }, ['Charging A-1', 'Slow answer']],
])('the log channel sends the records that match %j', (query, expected) => {
  const { feed, messages } = listening(query)
  for (const one of RECORDS) feed.publish(one)
  expect(messages()).toEqual(expected)
})

it('a slow reader is sent the number of dropped records', () => {
  const { feed, socket } = listening()
  socket.reads = false
  const large = record('x'.repeat(300_000))
  for (let n = 0; n < 100; n++) feed.publish(large)
  expect(socket.sent.length).toBeLessThan(6)
  const before = socket.sent.length
  socket.take()
  expect(socket.sent.slice(before)).toEqual([{ type: 'dropped', count: 100 - before }])
  socket.take()
  feed.publish(record('again'))
  expect(socket.sent.at(-1)).toMatchObject({ type: 'log', data: { message: 'again' } })
})

it('the subscription ends with the socket', () => {
  const { feed, socket } = listening()
  expect(feed.hasListeners).toBe(true)
  socket.emit('close')
  expect(feed.hasListeners).toBe(false)
})
