import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { BatchQueue } from '../../lib/batch-queue.ts'
import type { TraceStore } from '../../store/trace-store.ts'
import type { SpanListener } from './span-listener.ts'
import { OpenTrace } from './open-trace.ts'
import { traceChanges } from './trace-changes.ts'
import type { RecordedSpan } from './trace-changes.ts'

export interface RecorderOptions {
  readonly store: TraceStore
  /** Told how many spans were lost since the last time, with what the store threw. */
  readonly onLost: (count: number, cause: unknown) => void
}

/** What is lost at most when the process is killed. */
const EVERY_MS = 150
/** Spans in one transaction: about a millisecond. */
const SLICE = 200
const MOST_WAITING = 50_000

/** Puts spans into the store: those that ended, and those that take long enough to be looked at meanwhile. */
export class TraceRecorder implements SpanListener {
  readonly #queue: BatchQueue<RecordedSpan>
  readonly #open = new Map<string, OpenTrace>()
  /** Spans that started since the last look. */
  #fresh: RecordedSpan[] = []
  #look: NodeJS.Timeout | undefined

  constructor({ store, onLost }: RecorderOptions) {
    this.#queue = new BatchQueue({
      limit: MOST_WAITING,
      batch: SLICE,
      everyMs: EVERY_MS,
      write: (spans) => store.write(traceChanges(spans)),
      onLost,
    })
  }

  /** Spans that wait to be stored. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Spans that were not stored. */
  get lost(): number {
    return this.#queue.lost
  }

  started(span: ReadableSpan): void {
    const { traceId } = span.spanContext()
    let trace = this.#open.get(traceId)
    if (!trace) this.#open.set(traceId, (trace = new OpenTrace(span)))
    this.#fresh.push(trace.add(span))
    this.#look ??= setTimeout(() => this.#showOpen(), EVERY_MS).unref()
  }

  ended(span: ReadableSpan): void {
    const { traceId } = span.spanContext()
    const trace = this.#open.get(traceId)
    const recorded = trace?.end(span)
    if (!trace || !recorded) return
    if (trace.isOver) this.#open.delete(traceId)
    this.#queue.add(recorded)
  }

  flush(): Promise<void> {
    return this.#queue.flush()
  }

  async close(): Promise<void> {
    clearTimeout(this.#look)
    await this.#queue.close()
  }

  #showOpen(): void {
    const before = this.#fresh
    this.#fresh = []
    this.#look = undefined
    for (const recorded of before) if (!recorded.span.ended) this.#queue.add(recorded)
  }
}
