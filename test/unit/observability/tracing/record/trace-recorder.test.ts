import { ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { SdkSpan } from '../../../../../src/observability/tracing/span/sdk-span.ts'
import { spanIds } from '../../../../../src/observability/tracing/tracing.ts'
import { decodeSpan } from '../../../../../src/observability/tracing/span/encode.ts'
import { TraceRecorder } from '../../../../../src/observability/tracing/record/trace-recorder.ts'
import type { RecorderOptions } from '../../../../../src/observability/tracing/record/trace-recorder.ts'
import type { TraceChange } from '../../../../../src/store/trace-store.ts'

/** A recorder with a store that keeps the changes. */
class Recording {
  readonly written: (readonly TraceChange[])[] = []
  readonly lost: number[] = []
  readonly recorder: TraceRecorder
  readonly tracer
  /** The error that the store throws. */
  problem: Error | undefined

  constructor(limits: Pick<RecorderOptions, 'maxOpen' | 'maxWaiting'> = {}) {
    this.recorder = new TraceRecorder({
      ...limits,
      store: {
        write: async (changes) => {
          if (this.problem) throw this.problem
          this.written.push(changes)
        },
      },
      redact: (span) => void (span.attributes['open'] = 'looked through'),
      onLost: (count) => this.lost.push(count),
    })
    const provider = new BasicTracerProvider({
      idGenerator: spanIds(),
      spanProcessors: [
        {
          onStart: (span) => this.recorder.onStart(new SdkSpan(span)),
          onEnd: (span) => this.recorder.onEnd(new SdkSpan(span)),
          forceFlush: async () => undefined,
          shutdown: async () => undefined,
        },
      ],
    })
    this.tracer = provider.getTracer('test')
  }

  twoTraces(): void {
    this.tracer.startSpan('one').end()
    this.tracer.startSpan('other').end()
  }

  get changes(): TraceChange[] {
    return this.written.flat()
  }
}

const spansOf = ({ spans }: TraceChange) => spans.map(({ data }) => decodeSpan(data))

describe('the trace recorder', () => {
  const open: Recording[] = []
  afterEach(async () => {
    vi.useRealTimers()
    for (const { recorder } of open.splice(0)) await recorder.close()
  })
  const start = (limits: ConstructorParameters<typeof Recording>[0] = {}) => {
    const recording = new Recording(limits)
    open.push(recording)
    return recording
  }

  it('evicts traces whose spans never end', async () => {
    const { recorder, tracer, written } = start({ maxOpen: 3 })
    const leaked = Array.from({ length: 5 }, (_, n) => tracer.startSpan(`leaked ${n}`))
    const names = () => written.flat().map(({ name, status }) => `${name} ${status}`)
    await recorder.flush()
    expect(names().slice(0, 2)).toEqual(['leaked 0 running', 'leaked 1 running'])
    leaked[0]?.end()
    await recorder.flush()
    expect(written.flat().at(-1)).toMatchObject({ status: 'ok', spans: [{ isNew: false }] })
  })

  it('stores each span once, even when more are open than the limit', async () => {
    const { recorder, tracer, written } = start({ maxOpen: 3 })
    const outer = tracer.startSpan('outer')
    const within = trace.setSpan(ROOT_CONTEXT, outer)
    const leaked = Array.from({ length: 5 }, (_, n) => tracer.startSpan(`leaked ${n}`, {}, within))
    await recorder.flush()
    for (const span of [...leaked, outer]) span.end()
    await recorder.flush()
    expect(written.flat().at(-1)?.status).toBe('ok')
    const added = written.flat().flatMap((change) => change.spans.filter(({ isNew }) => isNew))
    expect(added).toHaveLength(6)
    expect(new Set(added.map(({ spanId }) => spanId)).size).toBe(6)
  })

  it('keeps open spans when the queue is full', async () => {
    // the recorder's timer must not fire while the spans are created
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const recording = start({ maxWaiting: 100 })
    const { recorder, tracer } = recording
    const outer = tracer.startSpan('outer')
    const flood = 150
    for (let n = 0; n < flood; n++) tracer.startSpan('flood').end()
    tracer.startSpan('inner', {}, trace.setSpan(ROOT_CONTEXT, outer)).end()
    await recorder.flush()
    outer.end()
    await recorder.flush()
    const spans = recording.changes.flatMap((change) => change.spans)
    expect(recorder.lost).toBeGreaterThan(0)
    expect(spans.length + recorder.lost).toBe(flood + 2)
    expect(recording.changes.at(-1)).toMatchObject({ name: 'outer', spans: [{ isNew: true }] })
  })

  it('writes a trace once, when it is complete', async () => {
    const { recorder, tracer, written } = start()
    const span = tracer.startSpan('whole', { attributes: { 'agentserver.step.id': 'one', mine: [1, 2] } })
    span.addEvent('happened', { at: 'once' })
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'no good' })
    span.end()
    await recorder.flush()
    const changes = written.flat()
    const [change] = changes
    expect(changes).toHaveLength(1)
    expect(change).toMatchObject({ name: 'whole', status: 'error', spans: [{ isNew: true }] })
    expect(change && spansOf(change)).toEqual([
      {
        name: 'whole',
        kind: 'internal',
        startTime: expect.any(Number),
        endTime: expect.any(Number),
        status: 'error',
        statusMessage: 'no good',
        attributes: { 'agentserver.step.id': 'one', mine: [1, 2] },
        events: [{ name: 'happened', time: expect.any(Number), attributes: { at: 'once' } }],
      },
    ])
  })

  it('writes a trace that has just begun when it is read, as clients were told of it', async () => {
    const recording = start()
    const span = recording.tracer.startSpan('one')
    await recording.recorder.flush()
    expect(recording.changes.map(({ name, status }) => [name, status])).toEqual([['one', 'running']])
    span.end()
    await recording.recorder.flush()
    expect(recording.changes.map(({ status }) => status)).toEqual(['running', 'ok'])
  })

  it('writes a long trace before it ends, without secrets, and counts its spans once', async () => {
    const { recorder, tracer, written } = start()
    const span = tracer.startSpan('long')
    await expect.poll(() => written.flat()).toHaveLength(1)
    const [before] = written.flat() as [TraceChange]
    expect(before).toMatchObject({ status: 'running', spans: [{ isNew: true }] })
    expect(spansOf(before)).toEqual([
      {
        name: 'long',
        kind: 'internal',
        startTime: expect.any(Number),
        status: 'running',
        attributes: { open: 'looked through' },
      },
    ])
    span.end()
    await recorder.flush()
    const [, after] = written.flat() as [TraceChange, TraceChange]
    expect(after).toMatchObject({ status: 'ok', spans: [{ isNew: false }] })
    expect(spansOf(after)[0]?.endTime).toBeTypeOf('number')
  })

  it('counts the spans that the store rejects, and continues', async () => {
    const recording = start()
    recording.problem = new Error('disk full')
    recording.twoTraces()
    await recording.recorder.flush()
    expect(recording.recorder.lost).toBe(2)
    expect(recording.lost).toEqual([2])
    recording.problem = undefined
    recording.twoTraces()
    await recording.recorder.flush()
    expect(recording.changes).toHaveLength(2)
  })

  it('drops and counts spans beyond the limit of the queue', async () => {
    const { recorder, tracer, written } = start()
    const spans = 50_400
    for (let count = 0; count < spans; count++) tracer.startSpan('one of many').end()
    expect(recorder.waiting).toBe(50_000)
    expect(recorder.lost).toBe(400)
    await recorder.flush()
    expect(written.flat()).toHaveLength(50_000)
    expect(recorder.waiting).toBe(0)
  })
})
