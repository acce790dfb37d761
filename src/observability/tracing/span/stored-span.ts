import type { Span } from '../../../contract/endpoints/trace.ts'
import { toIso } from '../../../lib/clock.ts'

/** A span as it is stored: instants are milliseconds since the epoch, and what is empty is left out. */
export interface StoredSpan extends Pick<Span, 'parentSpanId' | 'name' | 'kind' | 'status' | 'attributes'> {
  readonly startTime: number
  readonly endTime: number | null
  readonly statusMessage?: string
  readonly events?: readonly { readonly name: string; readonly time: number; readonly attributes: object }[]
  readonly links?: readonly SpanLinkRecord[]
}

interface SpanLinkRecord {
  readonly traceId: string
  readonly spanId: string
  readonly attributes: object
}

/** A span as it is shown. */
export function shownSpan(
  { traceId, spanId }: { traceId: string; spanId: string },
  stored: StoredSpan,
): Span {
  const { name, parentSpanId, kind, status, statusMessage, attributes, startTime, endTime } = stored
  const { events = [], links = [] } = stored
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    startTime: toIso(startTime),
    endTime: endTime === null ? null : toIso(endTime),
    durationMs: endTime === null ? null : Math.round((endTime - startTime) * 1000) / 1000,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    attributes,
    events: events.map((event) => ({
      name: event.name,
      time: toIso(event.time),
      attributes: event.attributes as Span['attributes'],
    })),
    links: links.map((link) => ({ ...link, attributes: link.attributes as Span['attributes'] })),
  }
}
