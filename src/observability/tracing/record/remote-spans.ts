import type { Span, SpanEvent } from '../../../contract/endpoints/trace.ts'
import type { StoredSpan } from '../../../store/trace-store.ts'
import { toSpan } from '../span/to-span.ts'

/** Maximum number of open spans that are remembered. Of further ones the start is sent again with their end. */
const MAX_OPEN = 10_000

/** The events of spans that other processes have stored. Most spans are stored only when they have ended. */
export class RemoteSpans {
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
