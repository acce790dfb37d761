import { SpanStatusCode } from '@opentelemetry/api'
import type { Attributes, HrTime, SpanContext } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { SpanKind } from '../../../contract/endpoints/trace.ts'
import { SPAN_KINDS } from './span-data.ts'
import type { SpanEventData, SpanLinkData, SpanData } from './span-data.ts'

/** A span that user code or a library started with OpenTelemetry's SDK. Reads the current state of the SDK's span. */
export class SdkSpan implements SpanData {
  readonly traceId: string
  readonly spanId: string
  readonly namedByOthers = true
  readonly #span: ReadableSpan

  constructor(span: ReadableSpan) {
    const { traceId, spanId } = span.spanContext()
    this.traceId = traceId
    this.spanId = spanId
    this.#span = span
  }

  get parent(): SpanContext | undefined {
    return this.#span.parentSpanContext
  }

  get name(): string {
    return this.#span.name
  }

  set name(name: string) {
    // `updateName` has no effect on an ended span
    Object.assign(this.#span, { name })
  }

  get kind(): SpanKind {
    return SPAN_KINDS[this.#span.kind] ?? 'internal'
  }

  get startTime(): number {
    return millis(this.#span.startTime)
  }

  get endTime(): number | undefined {
    return this.#span.ended ? millis(this.#span.endTime) : undefined
  }

  get attributes(): Attributes {
    return this.#span.attributes
  }

  get failed(): boolean {
    return this.#span.status.code === SpanStatusCode.ERROR
  }

  get statusMessage(): string | undefined {
    return this.#span.status.message
  }

  set statusMessage(message: string) {
    this.#span.status.message = message
  }

  get events(): readonly SpanEventData[] {
    return this.#span.events.map(({ name, time, attributes = {}, droppedAttributesCount = 0 }) => ({
      name,
      time: millis(time),
      attributes,
      droppedAttributes: droppedAttributesCount,
    }))
  }

  get links(): readonly SpanLinkData[] {
    return this.#span.links.map((link) => ({ ...link, attributes: link.attributes ?? {} }))
  }

  toReadableSpan(): ReadableSpan {
    return this.#span
  }
}

function millis([seconds, nanos]: HrTime): number {
  return seconds * 1000 + Math.round(nanos / 1000) / 1000
}
