import type { SpanEvent } from '../../../contract/endpoints/trace.ts'
import { WhileUsed } from '../../../lib/async/while-used.ts'
import type { TraceStore } from '../../../store/trace-store.ts'
import type { SpanData } from '../span/span-data.ts'
import type { SpanListener } from './span-listener.ts'
import { spanRecord } from '../span/encode.ts'
import { toApiSpan } from '../span/to-api.ts'
import { RemoteSpans } from './remote-spans.ts'

/** Live feed of spans as they start and end; those of other processes when they are stored. */
export class SpanFeed implements SpanListener {
  readonly #listeners = new Set<(event: SpanEvent) => void>()
  readonly #others = new WhileUsed()

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
