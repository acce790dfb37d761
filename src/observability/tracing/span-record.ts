import { SpanStatusCode } from '@opentelemetry/api'
import type { HrTime, SpanKind as OtelKind } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { Span, SpanKind, SpanStatus } from '../../contract/trace.ts'
import { toIso } from '../../lib/clock.ts'

const KINDS: readonly SpanKind[] = ['internal', 'server', 'client', 'producer', 'consumer']

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

export function kindOf(span: ReadableSpan): SpanKind {
  return KINDS[span.kind satisfies OtelKind] ?? 'internal'
}

export function statusOf({ ended, status }: ReadableSpan): SpanStatus {
  if (!ended) return 'running'
  return status.code === SpanStatusCode.ERROR ? 'error' : 'ok'
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
