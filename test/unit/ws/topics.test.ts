import { expect, it } from 'vitest'
import type { LogRecord } from '../../../src/contract/endpoints/log.ts'
import type { Span, SpanEvent } from '../../../src/contract/endpoints/trace.ts'
import { LogFeed } from '../../../src/observability/logs/log-feed.ts'
import { Subscriptions } from '../../../src/ws/subscriptions.ts'
import { Topics } from '../../../src/ws/topics.ts'
import { FakeSocket } from '../../support/clients/fake-socket.ts'

const TRACE = 'a'.repeat(32)
const OTHER_TRACE = 'b'.repeat(32)

function live() {
  const listeners = new Set<(event: SpanEvent) => void>()
  const logs = new LogFeed()
  const topics = new Topics({
    executions: () => {
      throw new Error('not asked for here')
    },
    logs,
    spans: {
      subscribe: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    clock: { now: () => 7 },
  })
  const reader = () => {
    const socket = new FakeSocket()
    const subscriptions = new Subscriptions(socket.asSocket, {
      topic: (name) => topics.get(name),
      onFailure: (error) => {
        throw error
      },
    })
    const subscribe = (topic: string, after?: number) =>
      subscriptions.take({ type: 'subscribe', topics: [{ topic, ...(after !== undefined && { after }) }] })
    return { socket, subscriptions, subscribe }
  }
  const tell = (span: Partial<Span>) => {
    for (const listener of listeners) listener({ type: 'span:start', span: span as Span })
  }
  const span = (traceId: string) => tell({ traceId })
  const log = (message: string) =>
    logs.publish({ message, timestamp: '2026-01-01T00:00:00.000Z' } as LogRecord)
  return { topics, reader, span, tell, log, listeners, logs }
}

it('a trace tells of its own spans, numbered from 1, the same to all', () => {
  const { reader, span, listeners } = live()
  const [one, two] = [reader(), reader()]
  one.subscribe(`trace:${TRACE}`)
  span(TRACE)
  span(OTHER_TRACE)
  two.subscribe(`trace:${TRACE}`)
  span(TRACE)
  const frame = (seq: number) => ({
    v: 1,
    topic: `trace:${TRACE}`,
    seq,
    ts: 7,
    type: 'span:start',
    data: { traceId: TRACE },
  })
  expect(one.socket.sent).toEqual([frame(1), frame(2)])
  expect(two.socket.sent).toEqual([frame(2)])
  one.subscriptions.end()
  two.subscriptions.end()
  expect(listeners.size).toBe(0)
})

it('the topic traces tells of the spans that traces begin with, a request among them', () => {
  const { reader, tell } = live()
  const { socket, subscribe, subscriptions } = reader()
  subscribe('traces')
  tell({ traceId: TRACE, parentSpanId: null, kind: 'internal' })
  tell({ traceId: TRACE, parentSpanId: 'c'.repeat(16), kind: 'internal' })
  tell({ traceId: OTHER_TRACE, parentSpanId: 'c'.repeat(16), kind: 'server' })
  expect(socket.sent).toMatchObject([
    { topic: 'traces', seq: 1, type: 'span:start', data: { traceId: TRACE } },
    { topic: 'traces', seq: 2, type: 'span:start', data: { traceId: OTHER_TRACE } },
  ])
  subscriptions.end()
})

it('logs are numbered from 1, and are fed only while somebody listens', () => {
  const { reader, log, logs } = live()
  const one = reader()
  one.subscribe('logs')
  log('first')
  expect(one.socket.sent).toMatchObject([
    { topic: 'logs', seq: 1, ts: Date.parse('2026-01-01'), type: 'log', data: { message: 'first' } },
  ])
  one.subscriptions.take({ type: 'unsubscribe', topics: [{ topic: 'logs' }] })
  expect(logs.isHeard).toBe(false)
})

it.each(['logs', `trace:${TRACE}`])('%s answers a gap to whoever wants what was', (topic) => {
  const { reader } = live()
  for (const after of [0, 5]) {
    const one = reader()
    one.subscribe(topic, after)
    expect(one.socket.sent).toEqual([{ type: 'gap', topic, from: 1 }])
  }
})

it('the configuration answers a gap unless the reader has seen the newest frame', () => {
  const { topics, reader } = live()
  const failed = { type: 'config:error', data: { generation: 1, name: 'E', message: 'no' } } as const
  topics.config(failed as Parameters<typeof topics.config>[0])
  const gap = { type: 'gap', topic: 'config', from: 2 }
  const answers = [undefined, 0, 1, 2].map((after) => {
    const one = reader()
    one.subscribe('config', after)
    return one.socket.sent
  })
  expect(answers).toEqual([[], [gap], [], [gap]])
})

it('a slow reader is told once it has caught up how much of each topic was left out', () => {
  const { reader, log, span } = live()
  const { socket, subscribe } = reader()
  subscribe('logs')
  subscribe(`trace:${TRACE}`)
  socket.reads = false
  log('x'.repeat(2_000_000))
  for (let n = 0; n < 5; n++) log('lost')
  for (let n = 0; n < 3; n++) span(TRACE)
  expect(socket.sent).toHaveLength(1)
  socket.take()
  expect(socket.sent.slice(1)).toEqual([
    { type: 'dropped', topic: 'logs', count: 5 },
    { type: 'dropped', topic: `trace:${TRACE}`, count: 3 },
  ])
  log('next')
  expect(socket.sent.at(-1)).toMatchObject({ seq: 7, data: { message: 'next' } })
})

it('a reader that asks and does not read is paused until it has caught up', () => {
  const { reader } = live()
  const { socket, subscribe } = reader()
  socket.reads = false
  while (!socket.isPaused && socket.sent.length < 20_000) subscribe('x'.repeat(250))
  expect(socket.isPaused).toBe(true)
  expect(socket.sent.length).toBeLessThan(5000)
  socket.take()
  expect(socket.isPaused).toBe(false)
})

it.each([
  'trace:',
  'trace:xyz',
  `trace:${TRACE.toUpperCase()}`,
  'log',
  'logs:',
  'config:1',
  '',
  'executions:a',
])('there is no topic %s', (topic) => {
  const { reader } = live()
  const { socket, subscribe } = reader()
  subscribe(topic)
  expect(socket.sent).toEqual([{ type: 'error', error: `There is no topic "${topic}"` }])
})
