import type { HrTime, SpanKind as OtelKind, SpanStatusCode } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { SpanKind, SpanStatus } from '../../contract/trace.ts'
import type { StoredSpan } from './stored-span.ts'

// the package is loaded when something is recorded
const FAILED: SpanStatusCode.ERROR = 2
const KINDS: readonly SpanKind[] = ['internal', 'server', 'client', 'producer', 'consumer']

export function kindOf(span: ReadableSpan): SpanKind {
  return KINDS[span.kind satisfies OtelKind] ?? 'internal'
}

export function statusOf({ ended, status }: ReadableSpan): SpanStatus {
  if (!ended) return 'running'
  return status.code === FAILED ? 'error' : 'ok'
}

export function millis([seconds, nanos]: HrTime): number {
  return seconds * 1000 + Math.round(nanos / 1000) / 1000
}

export function eventsOf(events: ReadableSpan['events']): NonNullable<StoredSpan['events']> {
  return events.map(({ name, time, attributes = {} }) => ({ name, time: millis(time), attributes }))
}

export function linksOf(links: ReadableSpan['links']): NonNullable<StoredSpan['links']> {
  return links.map(({ context, attributes = {} }) => ({
    traceId: context.traceId,
    spanId: context.spanId,
    attributes,
  }))
}

export function storedSpan(span: ReadableSpan): StoredSpan {
  const { name, attributes, events, links, status, parentSpanContext, startTime, endTime, ended } = span
  return {
    name,
    kind: kindOf(span),
    parentSpanId: parentSpanContext?.spanId ?? null,
    startTime: millis(startTime),
    endTime: ended ? millis(endTime) : null,
    status: statusOf(span),
    attributes,
    ...(status.message !== undefined && { statusMessage: status.message }),
    ...(events.length > 0 && { events: eventsOf(events) }),
    ...(links.length > 0 && { links: linksOf(links) }),
  }
}
