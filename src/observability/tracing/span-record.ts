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
    ...(events.length > 0 && {
      events: events.map((event) => ({
        name: event.name,
        time: millis(event.time),
        attributes: event.attributes ?? {},
      })),
    }),
    ...(links.length > 0 && {
      links: links.map(({ context, attributes: of = {} }) => ({
        traceId: context.traceId,
        spanId: context.spanId,
        attributes: of,
      })),
    }),
  }
}
