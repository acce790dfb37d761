import type { SpanStatus } from '../../../contract/endpoints/trace.ts'
import type { RecordedSpan } from './recorded-span.ts'
import type { StoredSpan } from './stored-span.ts'

export function statusOf({ endTime, failed }: RecordedSpan): SpanStatus {
  if (endTime === undefined) return 'running'
  return failed ? 'error' : 'ok'
}

/** What few spans have. */
export function detailsOf({
  statusMessage,
  events,
  links,
}: RecordedSpan): Pick<StoredSpan, 'statusMessage' | 'events' | 'links'> {
  return {
    ...(statusMessage !== undefined && { statusMessage }),
    ...(events.length > 0 && {
      events: events.map(({ name, time, attributes }) => ({ name, time, attributes })),
    }),
    ...(links.length > 0 && {
      links: links.map(({ context: { traceId, spanId }, attributes }) => ({ traceId, spanId, attributes })),
    }),
  }
}

export function storedSpan(span: RecordedSpan): StoredSpan {
  const { name, kind, attributes, parent, startTime, endTime = null } = span
  return {
    name,
    kind,
    parentSpanId: parent?.spanId ?? null,
    startTime,
    endTime,
    status: statusOf(span),
    attributes,
    ...detailsOf(span),
  }
}
