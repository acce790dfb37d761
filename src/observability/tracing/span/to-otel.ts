import type { SpanContext, SpanStatusCode } from '@opentelemetry/api'
import type { InstrumentationScope } from '@opentelemetry/core'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { otelCore } from '../otel-sdk.ts'
import { SPAN_KINDS } from './span-data.ts'
import type { SpanData } from './span-data.ts'

/** The resource and instrumentation scope of spans. */
export interface SpanOrigin {
  readonly resource: Resource
  readonly scope: InstrumentationScope
}

interface OtelParts {
  readonly origin: SpanOrigin
  readonly status: SpanStatusCode
  readonly dropped: { readonly attributes: number; readonly events: number; readonly links: number }
}

/** The form of a span that OpenTelemetry's exporters take. */
export function toReadableSpan(
  span: SpanData & { spanContext(): SpanContext },
  { origin, status, dropped }: OtelParts,
): ReadableSpan {
  const { name, parent, attributes, links, statusMessage, endTime } = span
  const { hrTimeDuration, millisToHrTime } = otelCore()
  const start = millisToHrTime(span.startTime)
  const end = millisToHrTime(endTime ?? 0)
  return {
    name,
    kind: SPAN_KINDS.indexOf(span.kind),
    spanContext: () => span.spanContext(),
    ...(parent && { parentSpanContext: parent }),
    startTime: start,
    endTime: end,
    duration: endTime === undefined ? [-1, -1] : hrTimeDuration(start, end),
    ended: endTime !== undefined,
    status: { code: status, ...(statusMessage !== undefined && { message: statusMessage }) },
    attributes,
    links: [...links],
    events: span.events.map((event) => ({
      name: event.name,
      time: millisToHrTime(event.time),
      attributes: event.attributes,
      droppedAttributesCount: event.droppedAttributes,
    })),
    resource: origin.resource,
    instrumentationScope: origin.scope,
    droppedAttributesCount: dropped.attributes,
    droppedEventsCount: dropped.events,
    droppedLinksCount: dropped.links,
  }
}
