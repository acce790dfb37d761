import type { Attributes, Link, SpanContext } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { SpanKind, SpanStatus } from '../../../contract/endpoints/trace.ts'

/** An event of a span. */
export interface SpanEventData {
  readonly name: string
  /** Milliseconds since the epoch, with fractions. */
  readonly time: number
  readonly attributes: Attributes
  readonly droppedAttributes: number
}

export interface SpanLinkData extends Link {
  readonly attributes: Attributes
}

/** The data of a span, started by the server or by OpenTelemetry's SDK. It changes until the span has ended. */
export interface SpanData {
  readonly traceId: string
  readonly spanId: string
  readonly parent: SpanContext | undefined
  name: string
  /** Whether user code or a library chose the name, which may then contain a secret. */
  readonly namedByOthers: boolean
  readonly kind: SpanKind
  /** Milliseconds since the epoch, with fractions. */
  readonly startTime: number
  /** `undefined` until it has ended. */
  readonly endTime: number | undefined
  readonly attributes: Attributes
  readonly failed: boolean
  statusMessage: string | undefined
  readonly events: readonly SpanEventData[]
  readonly links: readonly SpanLinkData[]
  /** The span in the form that OpenTelemetry's exporters take. */
  toReadableSpan(): ReadableSpan
}

export function statusOf({ endTime, failed }: Pick<SpanData, 'endTime' | 'failed'>): SpanStatus {
  if (endTime === undefined) return 'running'
  return failed ? 'error' : 'ok'
}

/** Span kinds in the order of OpenTelemetry's `SpanKind` numbers. */
export const SPAN_KINDS: readonly SpanKind[] = ['internal', 'server', 'client', 'producer', 'consumer']
