import { BatchQueue } from '../../../lib/async/batch-queue.ts'
import type { TraceChange, TraceStore } from '../../../store/trace-store.ts'
import { OpenTrace } from './open-trace.ts'
import type { SpanData } from '../span/span-data.ts'
import type { SpanListener } from './span-listener.ts'
import { encodeSpan } from '../span/encode.ts'

export interface RecorderOptions {
  readonly store: Pick<TraceStore, 'write'>
  /** Redacts a span that is stored before it has ended. */
  readonly redact: (span: SpanData) => void
  /** Maximum number of open traces, and of open spans in a trace. Default: 10,000. */
  readonly maxOpen?: number
  /** Maximum number of spans in the queue for the store. Default: 50,000. */
  readonly maxWaiting?: number
  /** Called with the number of spans lost since the last call, and the error of the store. */
  readonly onLost: (count: number, cause: unknown) => void
}

/** Interval of writes: the spans of this time are lost when the process is killed. */
const EVERY_MS = 120
/** Spans in a transaction, which takes one or two milliseconds. */
const SLICE = 400
/** A burst of seconds; further spans are dropped and counted. */
const MAX_WAITING = 50_000
/** A limit, as spans that user code never ends must not fill the memory. */
const MAX_OPEN = 10_000

/** Stores traces: each one when all its spans have ended, and long ones in parts. */
export class TraceRecorder implements SpanListener {
  readonly #queue: BatchQueue<TraceChange>
  readonly #open = new Map<string, OpenTrace>()
  readonly #encode: (span: SpanData) => string
  readonly #mostOpen: number
  readonly #mostWaiting: number
  #timer: NodeJS.Timeout | undefined

  constructor({ store, redact, onLost, ...limits }: RecorderOptions) {
    const { maxOpen: mostOpen = MAX_OPEN, maxWaiting: mostWaiting = MAX_WAITING } = limits
    this.#mostOpen = mostOpen
    this.#mostWaiting = mostWaiting
    this.#encode = (span) => {
      if (span.endTime === undefined) redact(span)
      return encodeSpan(span)
    }
    this.#queue = new BatchQueue({
      limit: mostWaiting,
      batch: SLICE,
      weigh: ({ spans }) => spans.length,
      everyMs: EVERY_MS,
      write: (changes) => store.write(changes),
      onLost,
    })
  }

  /** Number of spans in the queue for the store. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Number of spans that were not stored. */
  get lost(): number {
    return this.#queue.lost
  }

  onStart(span: SpanData): void {
    const trace = this.#open.get(span.traceId) ?? this.#begin(span)
    trace.start(span, this.#mostOpen)
    this.#timer ??= setTimeout(() => this.#takeOpen(), EVERY_MS).unref()
  }

  onEnd(span: SpanData): void {
    const trace = this.#open.get(span.traceId) ?? new OpenTrace(span, this.#encode)
    trace.end(span)
    if (trace.isOver) this.#open.delete(trace.id)
    if (trace.isOver || trace.waiting >= SLICE) this.#take(trace)
  }

  /** Stores all ended spans, and the traces that have begun: a client that was told of one finds it. */
  flush(): Promise<void> {
    for (const trace of this.#open.values()) if (trace.isNew || trace.waiting > 0) this.#take(trace)
    return this.#queue.flush()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.flush()
    await this.#queue.close()
  }

  #begin(span: SpanData): OpenTrace {
    if (this.#open.size >= this.#mostOpen) this.#evict()
    const trace = new OpenTrace(span, this.#encode)
    this.#open.set(trace.id, trace)
    return trace
  }

  /** Stores the oldest tenth of the open traces and forgets them. */
  #evict(): void {
    for (const trace of [...this.#open.values()].slice(0, Math.ceil(this.#mostOpen / 10))) {
      this.#open.delete(trace.id)
      this.#take(trace)
    }
  }

  /** Queues the open traces, except those that have just begun and will most likely be complete soon. */
  #takeOpen(): void {
    this.#timer = undefined
    const before = Date.now() - EVERY_MS / 2
    for (const trace of this.#open.values()) if (trace.startedAt < before) this.#take(trace)
    if (this.#open.size > 0) this.#timer = setTimeout(() => this.#takeOpen(), EVERY_MS).unref()
    void this.#queue.flush()
  }

  #take(trace: OpenTrace): void {
    // with a full queue, open spans are left for later
    const change = trace.take({ withOpen: this.#queue.size < this.#mostWaiting })
    if (change) this.#queue.add(change)
  }
}
