import { expect, it } from 'vitest'
import { CHANNELS } from '../../../src/contract/channels.ts'
import type { Span, SpanEvent } from '../../../src/contract/endpoints/trace.ts'
import { spanChannel } from '../../../src/ws/span-channel.ts'
import { FakeSocket } from '../../support/clients/fake-socket.ts'

const span = (spanId: string, parentSpanId: string | null, attributes: Span['attributes'] = {}): Span => ({
  traceId: 't'.repeat(32),
  spanId,
  parentSpanId,
  name: spanId,
  kind: 'internal',
  startTime: '2026-01-01T00:00:00.000Z',
  endTime: null,
  durationMs: null,
  status: 'running',
  attributes,
  events: [],
  links: [],
})

const SPANS = {
  request: span('request', null),
  order: span('order', 'request', { 'agentserver.workflow.id': 'order' }),
  step: span('step', 'order'),
  clerk: span('clerk', 'step', { 'gen_ai.agent.id': 'clerk' }),
  chat: span('chat', 'clerk'),
  other: span('other', null, { 'agentserver.workflow.id': 'other' }),
  alone: span('alone', null, { 'gen_ai.agent.id': 'clerk' }),
}

/** The events of nested spans. */
const EVENTS: SpanEvent[] = [
  ...Object.values(SPANS).map((one) => ({ type: 'span:start', span: one }) as const),
  ...Object.values(SPANS)
    .toReversed()
    .map((one) => ({ type: 'span:end', span: one }) as const),
]

function listening(query: Readonly<Record<string, string>>) {
  const listeners = new Set<(event: SpanEvent) => void>()
  const feed = {
    subscribe: (listener: (event: SpanEvent) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const socket = new FakeSocket()
  void spanChannel(feed)(socket.asSocket, CHANNELS.observability.query.parse(query), {
    admission: { user: undefined, by: 'console' },
    onRenewed: () => undefined,
  })
  const publish = (events: readonly SpanEvent[]) => {
    for (const event of events) for (const listener of listeners) listener(event)
  }
  const namesOf = (type: string) =>
    (socket.sent as { type: string; data: Span }[]).flatMap((one) =>
      one.type === type ? [one.data.name] : [],
    )
  return { socket, listeners, publish, namesOf }
}

it('the span channel sends the start and end of every span', () => {
  const { socket, publish } = listening({})
  publish(EVENTS)
  expect(socket.sent).toEqual(EVENTS.map(({ type, span: data }) => ({ type, data })))
})

it.each([
  [{ workflowId: 'order' }, ['order', 'step', 'clerk', 'chat']],
  [{ agentId: 'clerk' }, ['clerk', 'chat', 'alone']],
  [{ agentId: 'clerk', workflowId: 'order' }, ['clerk', 'chat']],
  [{ workflowId: 'nothing' }, []],
])('the span channel sends the spans that match %j and their descendants', (query, names) => {
  const { publish, namesOf } = listening(query)
  publish(EVENTS)
  expect(namesOf('span:start')).toEqual(names)
  expect(namesOf('span:end')).toEqual(names.toReversed())
})

it('the subscription ends with the socket', () => {
  const { socket, listeners } = listening({})
  socket.emit('close')
  expect(listeners.size).toBe(0)
})
