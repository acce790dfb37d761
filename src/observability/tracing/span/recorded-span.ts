import type { Attributes, Link, SpanContext } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { SpanKind } from '../../../contract/endpoints/trace.ts'

/** Something that happened during a span. */
export interface RecordedEvent {
  readonly name: string
  /** Milliseconds since the epoch, with fractions. */
  readonly time: number
  readonly attributes: Attributes
  readonly droppedAttributes: number
}

export interface RecordedLink extends Link {
  readonly attributes: Attributes
}

/** A span as it is recorded, whoever started it. It changes until it has ended. */
export interface RecordedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parent: SpanContext | undefined
  name: string
  /** Whether others gave it its name, which may hold anything then. */
  readonly namedByOthers: boolean
  readonly kind: SpanKind
  /** Milliseconds since the epoch, with fractions. */
  readonly startTime: number
  /** `undefined` until it has ended. */
  readonly endTime: number | undefined
  readonly attributes: Attributes
  readonly failed: boolean
  statusMessage: string | undefined
  readonly events: readonly RecordedEvent[]
  readonly links: readonly RecordedLink[]
  /** As OpenTelemetry's exporters take it. */
  readable(): ReadableSpan
}

/** In the order of OpenTelemetry's numbers for them. */
export const SPAN_KINDS: readonly SpanKind[] = ['internal', 'server', 'client', 'producer', 'consumer']
