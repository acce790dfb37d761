import { SpanStatusCode, trace } from '@opentelemetry/api'
import type { Span } from '@opentelemetry/api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRedactor } from '../../../../src/lib/redact/redactor.ts'
import type { SpanData } from '../../../../src/observability/tracing/span/span-data.ts'
import { SpanFeed } from '../../../../src/observability/tracing/record/span-feed.ts'
import { spanRecord } from '../../../../src/observability/tracing/span/encode.ts'
import { Tracing } from '../../../../src/observability/tracing/tracing.ts'

const PLACE = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }

let tracing: Tracing
let ended: SpanData[]
beforeEach(() => {
  const redactor = createRedactor(() => ['sk-hunter2'])
  tracing = new Tracing({ capturesContent: () => true, redactor, feed: new SpanFeed() })
  ended = []
  tracing.listen({ onEnd: (span) => ended.push(span) })
  tracing.register()
})
afterEach(() => tracing.unregister())

/** The record of a server span after user code used it as the active span. */
function recorded(work: (span: Span) => void) {
  const open = tracing.root.start('server')
  open.run(() => work(trace.getActiveSpan() as Span))
  open.end()
  const span = ended.at(-1) as SpanData
  return { ...spanRecord(span), readable: span.toReadableSpan() }
}

it("a span accepts all calls of OpenTelemetry's API, and is redacted when it ends", () => {
  const span = recorded((active) => {
    expect(active.isRecording()).toBe(true)
    active
      .setAttribute('one', 1)
      .setAttributes({ list: ['a', 'b'], note: 'sk-hunter2', apiKey: 'abc' })
      .addEvent('happened', { at: 'sk-hunter2' }, 1_700_000_000_000)
      .addEvent('then', new Date(1_700_000_000_001))
      .addLink({ context: { ...PLACE, traceFlags: 1 }, attributes: { why: 'so' } })
      .setStatus({ code: SpanStatusCode.ERROR, message: 'no sk-hunter2' })
      .updateName('renamed')
  })
  expect(span).toMatchObject({ name: 'renamed', status: 'error', attributes: { one: 1, list: ['a', 'b'] } })
  expect(span.events).toMatchObject([
    { name: 'happened', time: 1_700_000_000_000 },
    { name: 'then', time: 1_700_000_000_001, attributes: {} },
  ])
  expect(span.links).toEqual([{ ...PLACE, attributes: { why: 'so' } }])
  expect(JSON.stringify(span)).not.toMatch(/hunter2|abc/)
  expect(span.readable).toMatchObject({ name: 'renamed', kind: 0, ended: true, status: { code: 2 } })
})

it('names that user code sets are redacted, on spans of the server and of the SDK', () => {
  const span = recorded((active) => {
    active.updateName('GET /?key=sk-hunter2')
    trace.getTracer('mine').startActiveSpan('get sk-hunter2', (inner) => inner.end())
  })
  expect(span.name).toBe('GET /?key=[redacted]')
  expect(span.readable.name).toBe('GET /?key=[redacted]')
  expect(ended.map(({ name }) => name)).toContain('get [redacted]')
  expect(ended.map((one) => one.toReadableSpan().name).join()).not.toContain('hunter2')
})

it('content is truncated after it is redacted', () => {
  const open = tracing.root.start('server')
  open.setContent('text', () => `${'x'.repeat(16_380)}sk-hunter2 and more`)
  open.setContent('json', () => ({ text: 'x'.repeat(16_350), password: 'correct horse battery staple' }))
  open.end()
  const [{ attributes }] = ended as [SpanData]
  const { text, json } = attributes as Record<string, string>
  expect(text).toMatch(/x\[red…$/)
  expect(json).toMatch(/"password":"\[re/)
  expect([text?.length, json?.length]).toEqual([16_385, 16_385])
})

it('spans of user code are not recorded while tracing is off', () => {
  tracing.unregister()
  let records = true
  tracing = new Tracing({
    capturesContent: () => true,
    records: () => records,
    redactor: createRedactor(),
    feed: new SpanFeed(),
  })
  tracing.listen({ onEnd: (span) => ended.push(span) })
  tracing.register()
  const tracer = trace.getTracer('mine')
  tracer.startSpan('on').end()
  records = false
  tracer.startSpan('off').end()
  records = true
  tracer.startSpan('on again').end()
  expect(ended.map(({ name }) => name)).toEqual(['on', 'on again'])
})

it('an exception of any type is recorded', () => {
  const { events } = recorded((active) => {
    active.recordException(new TypeError('no good'))
    active.recordException('text')
    active.recordException({ code: 7 })
    active.recordException(null as never)
  })
  expect(events?.map(({ attributes }) => attributes)).toMatchObject([
    { 'exception.type': 'TypeError', 'exception.message': 'no good' },
    { 'exception.message': 'text' },
    { 'exception.type': '7' },
  ])
})

it('limits apply, and invalid attributes are ignored', () => {
  const span = recorded((active) => {
    active.setAttribute('long', 'x'.repeat(40_000))
    active.setAttributes({ object: {}, mixed: [1, 'a'], '': 1, nothing: undefined, missing: null } as never)
    for (let count = 0; count < 200; count++) active.setAttribute(`n${count}`, count)
    active.setAttribute('n0', 'again')
    for (let count = 0; count < 130; count++) active.addEvent(`e${count}`)
  })
  expect(span.attributes['long']).toHaveLength(32_768)
  expect(Object.keys(span.attributes)).toHaveLength(128)
  expect(span.attributes).toMatchObject({ n0: 'again', n126: 126 })
  for (const name of ['object', 'mixed', '', 'nothing', 'missing'])
    expect(Object.keys(span.attributes)).not.toContain(name)
  expect(span.events).toHaveLength(128)
  expect(span.events?.at(-1)?.name).toBe('e129')
  expect(span.readable).toMatchObject({ droppedAttributesCount: 73, droppedEventsCount: 2 })
})

it('an ended span does not change and is reported once', () => {
  let kept: Span | undefined
  recorded((active) => (kept = active))
  kept?.setAttribute('late', 1).addEvent('late').updateName('late').setStatus({ code: SpanStatusCode.ERROR })
  kept?.end()
  expect(kept?.isRecording()).toBe(false)
  expect(ended).toHaveLength(1)
  expect(spanRecord(ended[0] as SpanData)).toMatchObject({ name: 'server', status: 'ok', attributes: {} })
  expect(ended[0]).toMatchObject({ events: [] })
})

it('spans of the SDK become children of the active span', () => {
  const outer = tracing.root.start('server')
  outer.run(() => trace.getTracer('mine').startSpan('mine').end())
  outer.end()
  const [inner, last] = ended as [SpanData, SpanData]
  expect(inner).toMatchObject({ name: 'mine', traceId: last.traceId, parent: { spanId: last.spanId } })
  expect(spanRecord(inner).status).toBe('ok')
})

it('a scope continues the trace of a caller, with its tracestate', () => {
  const traceparent = `00-${PLACE.traceId}-${PLACE.spanId}-00`
  const span = tracing.root.fromHeaders({ traceparent, tracestate: 'a=b' }).start('server')
  expect(span.spanIds?.traceId).toBe(PLACE.traceId)
  expect(span.start('inner').toHeaders()).toMatchObject({
    traceparent: expect.stringMatching(new RegExp(`^00-${PLACE.traceId}-[0-9a-f]{16}-01$`)),
    tracestate: 'a=b',
  })
})
