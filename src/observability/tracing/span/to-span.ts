import type { Span } from '../../../contract/endpoints/trace.ts'
import type { StoredSpan } from '../../../store/trace-store.ts'
import { decodeSpan } from './encode.ts'
import type { SpanRecord } from './encode.ts'
import { toIso } from '../../../lib/clock.ts'

/** A stored span as the API returns it. */
export function toSpan({ traceId, spanId, data, isOrphaned }: StoredSpan): Span {
  const record = readRecord(data)
  const isLost = isOrphaned && record.endTime === undefined
  return toApiSpan({ traceId, spanId }, isLost ? { ...record, ...LOST } : record)
}

const LOST = { status: 'error', statusMessage: 'The process stopped before the span ended' } as const

/** A span that can't be read must not hide the others of its trace. */
function readRecord(data: string): SpanRecord {
  try {
    return decodeSpan(data)
  } catch {
    return UNREADABLE
  }
}

const UNREADABLE: SpanRecord = {
  name: 'unreadable',
  kind: 'internal',
  startTime: 0,
  endTime: 0,
  status: 'error',
  statusMessage: 'The record of this span is damaged',
  attributes: {},
}

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
