import { isSpanContextValid, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import type {
  Attributes,
  Exception,
  Link,
  Span,
  SpanContext,
  SpanStatus,
  TimeInput,
} from '@opentelemetry/api'
import type { IdGenerator, ReadableSpan } from '@opentelemetry/sdk-trace-base'
import {
  hrTimeDuration,
  hrTimeToMilliseconds,
  isTimeInput,
  millisToHrTime,
  timeInputToHrTime,
} from '@opentelemetry/core'
import type { InstrumentationScope } from '@opentelemetry/core'
import type { Resource } from '@opentelemetry/resources'
import type { SpanKind } from '../../../contract/endpoints/trace.ts'
import type { SpanListener } from '../record/span-listener.ts'
import { SPAN_KINDS } from './span-data.ts'
import type { SpanEventData, SpanLinkData, SpanData } from './span-data.ts'
import { attributeValue, detailAttributes, MAX_ATTRIBUTES, MAX_DETAILS } from './span-limits.ts'

/** Dependencies of all spans of the server. */
export interface SpanDeps {
  readonly ids: IdGenerator
  /** Milliseconds since the epoch, with fractions. */
  readonly now: () => number
  readonly listener: Required<SpanListener>
  readonly origin: () => SpanOrigin
}

export interface SpanStart {
  readonly name: string
  readonly kind: SpanKind
  readonly parent: SpanContext | undefined
  readonly ageMs: number | undefined
  readonly attributes: Readonly<Record<string, unknown>> | undefined
  readonly links: readonly Link[] | undefined
}

const NO_EVENTS: readonly SpanEventData[] = []
const NO_LINKS: readonly SpanLinkData[] = []

/**
 * A span of the server. It implements OpenTelemetry's `Span`, so that user code can use it as the active span. A
 * server whose code uses no tracer never loads the SDK, which would cost memory and start time.
 */
export class RecordingSpan implements Span, SpanData {
  readonly traceId: string
  readonly spanId: string
  readonly parent: SpanContext | undefined
  name: string
  namedByOthers = false
  readonly kind: SpanKind
  readonly startTime: number
  endTime: number | undefined = undefined
  readonly attributes: Attributes = {}
  failed = false
  statusMessage: string | undefined = undefined
  events: readonly SpanEventData[] = NO_EVENTS
  links: readonly SpanLinkData[] = NO_LINKS
  readonly #deps: SpanDeps
  readonly #context: SpanContext
  #status: SpanStatusCode = SpanStatusCode.UNSET
  #count = 0
  #dropped = 0
  #droppedEvents = 0
  #droppedLinks = 0

  constructor(deps: SpanDeps, { name, kind, parent, ageMs = 0, attributes, links }: SpanStart) {
    this.#deps = deps
    this.parent = parent && (parent.isRemote !== true || isSpanContextValid(parent)) ? parent : undefined
    this.spanId = deps.ids.generateSpanId()
    this.traceId = this.parent?.traceId ?? deps.ids.generateTraceId()
    const { traceState } = this.parent ?? {}
    const { traceId, spanId } = this
    this.#context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, ...(traceState && { traceState }) }
    this.name = name
    this.kind = kind
    this.startTime = deps.now() - ageMs
    if (attributes) this.#set(attributes)
    if (links) this.addLinks(links)
    deps.listener.onStart(this)
  }

  spanContext(): SpanContext {
    return this.#context
  }

  isRecording(): boolean {
    return this.endTime === undefined
  }

  setAttribute(key: string, given: unknown): this {
    if (this.endTime !== undefined || key === '') return this
    const value = attributeValue(given)
    if (value === undefined) return this
    if (this.attributes[key] === undefined) {
      if (this.#count >= MAX_ATTRIBUTES) {
        this.#dropped++
        return this
      }
      this.#count++
    }
    this.attributes[key] = value
    return this
  }

  setAttributes(attributes: Readonly<Record<string, unknown>>): this {
    this.#set(attributes)
    return this
  }

  addEvent(name: string, given?: Attributes | TimeInput, at?: TimeInput): this {
    if (this.endTime !== undefined) return this
    const [details, time] = isTimeInput(given) ? [undefined, at ?? given] : [given as Attributes, at]
    const { attributes, dropped } = detailAttributes(details)
    if (this.events.length >= MAX_DETAILS) this.#droppedEvents++
    const event = { name, time: this.#time(time), attributes, droppedAttributes: dropped }
    this.events = [...this.events.slice(1 - MAX_DETAILS), event]
    return this
  }

  addLink({ context, attributes: given }: Link): this {
    if (this.endTime !== undefined) return this
    const { attributes, dropped } = detailAttributes(given)
    if (this.links.length >= MAX_DETAILS) this.#droppedLinks++
    const link = { context, attributes, ...(dropped > 0 && { droppedAttributesCount: dropped }) }
    this.links = [...this.links.slice(1 - MAX_DETAILS), link]
    return this
  }

  addLinks(links: readonly Link[]): this {
    for (const link of links) this.addLink(link)
    return this
  }

  /** Sets the status. `OK` is final, as OpenTelemetry specifies. */
  setStatus({ code, message }: SpanStatus): this {
    const isFinal = this.endTime !== undefined || this.#status === SpanStatusCode.OK
    if (isFinal || code === SpanStatusCode.UNSET) return this
    this.#status = code
    this.failed = code === SpanStatusCode.ERROR
    this.statusMessage = this.failed && typeof message === 'string' ? message : undefined
    return this
  }

  updateName(name: string): this {
    if (this.endTime !== undefined) return this
    this.name = name
    this.namedByOthers = true
    return this
  }

  recordException(exception: Exception, time?: TimeInput): void {
    const thrown: unknown = typeof exception === 'string' ? { message: exception } : exception
    const { code, name, message, stack } = (thrown ?? {}) as Partial<Record<string, string>>
    const type = code ? String(code) : name
    if (!type && !message) return
    const attributes = { 'exception.type': type, 'exception.message': message, 'exception.stacktrace': stack }
    this.addEvent('exception', attributes, time)
  }

  end(time?: TimeInput): void {
    if (this.endTime !== undefined) return
    this.endTime = Math.max(this.startTime, this.#time(time))
    this.#deps.listener.onEnd(this)
  }

  toReadableSpan(): ReadableSpan {
    return toReadableSpan(this, {
      origin: this.#deps.origin(),
      status: this.#status,
      dropped: { attributes: this.#dropped, events: this.#droppedEvents, links: this.#droppedLinks },
    })
  }

  #set(attributes: Readonly<Record<string, unknown>>): void {
    for (const name in attributes) this.setAttribute(name, attributes[name])
  }

  #time(given: TimeInput | undefined): number {
    if (given === undefined) return this.#deps.now()
    return hrTimeToMilliseconds(timeInputToHrTime(given))
  }
}

/** The resource and instrumentation scope of spans. */
interface SpanOrigin {
  readonly resource: Resource
  readonly scope: InstrumentationScope
}

interface OtelParts {
  readonly origin: SpanOrigin
  readonly status: SpanStatusCode
  readonly dropped: { readonly attributes: number; readonly events: number; readonly links: number }
}

/** The form of a span that OpenTelemetry's exporters take. */
function toReadableSpan(
  span: SpanData & { spanContext(): SpanContext },
  { origin, status, dropped }: OtelParts,
): ReadableSpan {
  const { name, parent, attributes, links, statusMessage, endTime } = span
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
