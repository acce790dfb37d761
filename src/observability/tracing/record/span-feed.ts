import type { SpanEvent, Span } from '../../../contract/endpoints/trace.ts'
import { RefCounted } from '../../../lib/async/ref-counted.ts'
import type { TraceStore, StoredSpan } from '../../../store/trace-store.ts'
import { spanRecord } from '../span/encode.ts'
import type { SpanData } from '../span/span-data.ts'
import { toApiSpan, toSpan } from '../span/to-span.ts'

import type { SpanListener } from './span-listener.ts'

/** Live feed of spans as they start and end; those of other processes when they are stored. */
export class SpanFeed implements SpanListener {
  readonly #listeners = new Set<(event: SpanEvent) => void>()
  readonly #others = new RefCounted()

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  /** Calls `listener` synchronously for each event, until the returned function is called. */
  subscribe(listener: (event: SpanEvent) => void): () => void {
    this.#listeners.add(listener)
    const endUse = this.#others.use()
    return () => {
      this.#listeners.delete(listener)
      endUse()
    }
  }

  /** Publishes also what other processes store, while there are listeners. */
  follow(store: Pick<TraceStore, 'follow'>): void {
    this.#others.run(() => {
      const remote = new RemoteSpans()
      return store.follow((spans) => {
        for (const event of remote.eventsOf(spans)) this.#send(event)
      })
    })
  }

  onStart(span: SpanData): void {
    this.#publish('span:start', span)
  }

  onEnd(span: SpanData): void {
    this.#publish('span:end', span)
  }

  #publish(type: SpanEvent['type'], span: SpanData): void {
    this.#send({ type, span: toApiSpan(span, spanRecord(span)) })
  }

  #send(event: SpanEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

/** Maximum number of open spans that are remembered. Of further ones the start is sent again with their end. */
const MAX_OPEN = 10_000

/** The events of spans that other processes have stored. Most spans are stored only when they have ended. */
class RemoteSpans {
  readonly #open = new Set<string>()

  /** The starts before the ends: those who select spans with all below them know the parents first. */
  eventsOf(stored: readonly StoredSpan[]): SpanEvent[] {
    const spans = stored.map((span) => toSpan(span))
    const starts = spans.filter(({ spanId }) => !this.#open.has(spanId))
    const ends = spans.filter(({ endTime }) => endTime !== null)
    for (const { spanId } of starts) if (this.#open.size < MAX_OPEN) this.#open.add(spanId)
    for (const { spanId } of ends) this.#open.delete(spanId)
    return [
      ...starts.map((span): SpanEvent => ({ type: 'span:start', span: asStarted(span) })),
      ...ends.map((span): SpanEvent => ({ type: 'span:end', span })),
    ]
  }
}

function asStarted({ statusMessage: _, ...span }: Span): Span {
  return { ...span, endTime: null, durationMs: null, status: 'running' }
}
