import { BatchQueue } from '../../../lib/async/batch-queue.ts'
import type { TraceChange, TraceStore } from '../../../store/trace-store.ts'
import { OpenTrace } from './open-trace.ts'
import type { SpanData } from '../span/span-data.ts'
import type { SpanListener } from './span-listener.ts'
import { encodeSpan } from '../span/encode.ts'

export interface RecorderOptions {
  readonly store: Pick<TraceStore, 'write'>
  /** Takes secrets out of a span that is stored before it has ended. */
  readonly redact: (span: SpanData) => void
  /** Traces, and spans of one, that are held at most while they are open. Default 10,000. */
  readonly maxOpen?: number
  /** Spans that wait to be stored at most. Default 50,000. */
  readonly maxWaiting?: number
  /** Told how many spans were lost since the last time, with what the store threw. */
  readonly onLost: (count: number, cause: unknown) => void
}

/** What is lost at most when the process is killed, beside what is being written. */
const EVERY_MS = 120
/** Spans in one transaction: one or two milliseconds. */
const SLICE = 400
const MAX_WAITING = 50_000
/** Spans that user code never ends must not fill the memory. */
const MAX_OPEN = 10_000

/**
 * Puts traces into the store: each as a whole when its spans have ended, and what there is so far of those that
 * take long.
 */
export class TraceRecorder implements SpanListener {
  readonly #queue: BatchQueue<TraceChange>
  readonly #open = new Map<string, OpenTrace>()
  readonly #text: (span: SpanData) => string
  readonly #mostOpen: number
  readonly #mostWaiting: number
  #look: NodeJS.Timeout | undefined

  constructor({ store, redact, onLost, ...limits }: RecorderOptions) {
    const { maxOpen: mostOpen = MAX_OPEN, maxWaiting: mostWaiting = MAX_WAITING } = limits
    this.#mostOpen = mostOpen
    this.#mostWaiting = mostWaiting
    this.#text = (span) => {
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

  /** Spans that wait to be stored. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Spans that were not stored. */
  get lost(): number {
    return this.#queue.lost
  }

  started(span: SpanData): void {
    const trace = this.#open.get(span.traceId) ?? this.#hold(span)
    trace.start(span, this.#mostOpen)
    this.#look ??= setTimeout(() => this.#takeOpen(), EVERY_MS).unref()
  }

  ended(span: SpanData): void {
    const trace = this.#open.get(span.traceId) ?? new OpenTrace(span, this.#text)
    trace.end(span)
    if (trace.isOver) this.#open.delete(trace.id)
    if (trace.isOver || trace.waiting >= SLICE) this.#take(trace)
  }

  /** Stores what ended. */
  flush(): Promise<void> {
    for (const trace of this.#open.values()) if (trace.waiting > 0) this.#take(trace)
    return this.#queue.flush()
  }

  async close(): Promise<void> {
    clearTimeout(this.#look)
    await this.flush()
    await this.#queue.close()
  }

  #hold(span: SpanData): OpenTrace {
    if (this.#open.size >= this.#mostOpen) this.#letGo()
    const trace = new OpenTrace(span, this.#text)
    this.#open.set(trace.id, trace)
    return trace
  }

  /** The oldest go, a tenth at once: looking for them takes a while. */
  #letGo(): void {
    for (const trace of [...this.#open.values()].slice(0, Math.ceil(this.#mostOpen / 10))) {
      this.#open.delete(trace.id)
      this.#take(trace)
    }
  }

  /** A trace that has just begun will most likely be whole a moment later. */
  #takeOpen(): void {
    this.#look = undefined
    const before = Date.now() - EVERY_MS / 2
    for (const trace of this.#open.values()) if (trace.startedAt < before) this.#take(trace)
    if (this.#open.size > 0) this.#look = setTimeout(() => this.#takeOpen(), EVERY_MS).unref()
    void this.#queue.flush()
  }

  #take(trace: OpenTrace): void {
    // what has not ended is not lost yet, and has its turn when there is room
    const change = trace.take({ withOpen: this.#queue.size < this.#mostWaiting })
    if (change) this.#queue.add(change)
  }
}
