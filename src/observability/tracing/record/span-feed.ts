import type { SpanEvent } from '../../../contract/endpoints/trace.ts'
import type { SpanData } from '../span/span-data.ts'
import type { SpanListener } from './span-listener.ts'
import { spanRecord } from '../span/encode.ts'
import { toApiSpan } from '../span/to-api.ts'

/** Live feed of spans as they start and end. */
export class SpanFeed implements SpanListener {
  readonly #listeners = new Set<(event: SpanEvent) => void>()

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  /** Calls `listener` synchronously for each event, until the returned function is called. */
  subscribe(listener: (event: SpanEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  onStart(span: SpanData): void {
    this.#publish('span:start', span)
  }

  onEnd(span: SpanData): void {
    this.#publish('span:end', span)
  }

  #publish(type: SpanEvent['type'], span: SpanData): void {
    const event = { type, span: toApiSpan(span, spanRecord(span)) }
    for (const listener of this.#listeners) listener(event)
  }
}
