import type { Span } from '../../../contract/endpoints/trace.ts'
import { toIso } from '../../../lib/clock.ts'
import type { SpanRecord } from './encode.ts'

/** A span as the API returns it. */
export function toApiSpan(
  { traceId, spanId }: { readonly traceId: string; readonly spanId: string },
  record: SpanRecord,
): Span {
  const { name, parentSpanId = null, kind, status, statusMessage, attributes, startTime, endTime } = record
  const { events = [], links = [] } = record
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    startTime: toIso(startTime),
    endTime: endTime === undefined ? null : toIso(endTime),
    durationMs: endTime === undefined ? null : Math.round((endTime - startTime) * 1000) / 1000,
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
