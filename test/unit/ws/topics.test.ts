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
      throw new Error('not used here')
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
      subscriptions.handle({ type: 'subscribe', topics: [{ topic, ...(after !== undefined && { after }) }] })
    return { socket, subscriptions, subscribe }
  }
  const start = (span: Partial<Span>) => {
    for (const listener of listeners) listener({ type: 'span:start', span: span as Span })
  }
  const span = (traceId: string) => start({ traceId })
  const log = (message: string) =>
    logs.publish({ message, timestamp: '2026-01-01T00:00:00.000Z' } as LogRecord)
  return { topics, reader, span, start, log, listeners, logs }
}

it('a trace topic sends the spans of its trace, with the same numbers to all readers', () => {
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
  one.subscriptions.close()
  two.subscriptions.close()
  expect(listeners.size).toBe(0)
})

it('the topic traces sends the first span of each trace, also of a request with a parent', () => {
  const { reader, start } = live()
  const { socket, subscribe, subscriptions } = reader()
  subscribe('traces')
  start({ traceId: TRACE, parentSpanId: null, kind: 'internal' })
  start({ traceId: TRACE, parentSpanId: 'c'.repeat(16), kind: 'internal' })
  start({ traceId: OTHER_TRACE, parentSpanId: 'c'.repeat(16), kind: 'server' })
  expect(socket.sent).toMatchObject([
    { topic: 'traces', seq: 1, type: 'span:start', data: { traceId: TRACE } },
    { topic: 'traces', seq: 2, type: 'span:start', data: { traceId: OTHER_TRACE } },
  ])
  subscriptions.close()
})

it('log frames are numbered from 1, and are created only while the topic has subscribers', () => {
  const { reader, log, logs } = live()
  const one = reader()
  one.subscribe('logs')
  log('first')
  expect(one.socket.sent).toMatchObject([
    { topic: 'logs', seq: 1, ts: Date.parse('2026-01-01'), type: 'log', data: { message: 'first' } },
  ])
  one.subscriptions.handle({ type: 'unsubscribe', topics: [{ topic: 'logs' }] })
  expect(logs.hasListeners).toBe(false)
})

it.each(['logs', `trace:${TRACE}`])('%s sends a gap to a reader that asks for past frames', (topic) => {
  const { reader } = live()
  for (const after of [0, 5]) {
    const one = reader()
    one.subscribe(topic, after)
    expect(one.socket.sent).toEqual([{ type: 'gap', topic, from: 1 }])
  }
})

it('the topic config sends a gap unless the reader has the newest frame', () => {
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

it('a slow reader is sent the number of dropped frames of each topic when it has caught up', () => {
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

it('a reader that sends requests but does not receive is paused until it has caught up', () => {
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
])('the topic %j is unknown', (topic) => {
  const { reader } = live()
  const { socket, subscribe } = reader()
  subscribe(topic)
  expect(socket.sent).toEqual([{ type: 'error', error: `Unknown topic "${topic}"` }])
})
