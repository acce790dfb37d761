import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api'
import type { Attributes as OtelAttributes, Context, Link, Span, Tracer } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { messageOf } from '../../lib/errors.ts'
import { ATTRIBUTE } from '../../lib/semantic-attributes.ts'
import type {
  Attributes,
  OpenSpan,
  SpanLink,
  SpanOptions,
  SpanPlace,
  TraceHeaders,
  TraceScope,
} from '../../lib/trace-scope.ts'

/** What is the same for all scopes of a process. */
export interface ScopeMeans {
  readonly tracer: Tracer
  readonly capturesContent: () => boolean
  /** Milliseconds since the epoch, with fractions. */
  readonly now: () => number
  /** Runs the user's code with a context that it finds as the active one. */
  readonly activate: <T>(context: Context, work: () => T) => T
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const
const CONTENT_CHARACTERS = 16_384
/** W3C Trace Context: how places in traces are told to other processes. */
export const TRACE_CONTEXT = new W3CTraceContextPropagator()

/** A place in a trace, as OpenTelemetry has it. */
export class OtelScope implements TraceScope {
  readonly records = true
  readonly context: Context
  readonly #means: ScopeMeans

  constructor(means: ScopeMeans, context: Context = ROOT_CONTEXT) {
    this.#means = means
    this.context = context
  }

  get place(): SpanPlace | undefined {
    return trace.getSpanContext(this.context)
  }

  get capturesContent(): boolean {
    return this.#means.capturesContent()
  }

  start(name: string, options: SpanOptions = {}): OpenSpan {
    const { kind = 'internal', attributes, links, startTime = this.#means.now() } = options
    const span = this.#means.tracer.startSpan(
      name,
      {
        kind: KINDS[kind],
        ...(attributes && { attributes: attributes as OtelAttributes }),
        ...(links && { links: links.map((link) => toLink(link)) }),
        startTime,
      },
      this.context,
    )
    return new OtelSpan(this.#means, trace.setSpan(this.context, span), span)
  }

  run<T>(work: () => T): T {
    return this.#means.activate(this.context, work)
  }

  at(place: SpanPlace): TraceScope {
    return new OtelScope(this.#means, trace.setSpanContext(ROOT_CONTEXT, remote(place)))
  }

  below({ traceparent, tracestate }: TraceHeaders): TraceScope {
    const carrier = { traceparent: traceparent ?? undefined, tracestate: tracestate ?? undefined }
    const context = TRACE_CONTEXT.extract(this.context, carrier, {
      get: (headers, key) => headers[key as keyof typeof headers],
      keys: (headers) => Object.keys(headers),
    })
    return context === this.context ? this : new OtelScope(this.#means, context)
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {}
    TRACE_CONTEXT.inject(this.context, headers, {
      set: (carrier, key, value) => {
        carrier[key] = value
      },
    })
    return headers
  }
}

class OtelSpan extends OtelScope implements OpenSpan {
  readonly #span: Span
  readonly #now: () => number

  constructor(means: ScopeMeans, context: Context, span: Span) {
    super(means, context)
    this.#span = span
    this.#now = means.now
  }

  override get place(): SpanPlace {
    return this.#span.spanContext()
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes as OtelAttributes)
  }

  content(name: string, value: () => unknown): void {
    if (!this.capturesContent || !this.#span.isRecording()) return
    const given = value()
    if (given === undefined) return
    const text = typeof given === 'string' ? given : (JSON.stringify(given) ?? '')
    this.#span.setAttribute(
      name,
      text.length > CONTENT_CHARACTERS ? `${text.slice(0, CONTENT_CHARACTERS)}…` : text,
    )
  }

  link(link: SpanLink): void {
    this.#span.addLink(toLink(link))
  }

  fail(error: unknown): void {
    const { name = typeof error, message = messageOf(error), stack } = (error ?? {}) as Partial<Error>
    this.#span.setAttribute(ATTRIBUTE.errorType, name)
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message })
    // of what was recorded the stack has the project's own paths alone, and none in production
    if (stack === undefined || error instanceof Error) return
    const exception = { type: name, message, stacktrace: stack }
    const attributes = Object.entries(exception).map(([key, value]) => [`exception.${key}`, value])
    this.#span.addEvent('exception', Object.fromEntries(attributes) as OtelAttributes, this.#now())
  }

  end(): void {
    if (!this.#span.isRecording()) return
    this.#span.end(this.#now())
  }
}

function remote(place: SpanPlace) {
  const { traceId, spanId } = place
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }
}

function toLink({ place, attributes }: SpanLink): Link {
  return { context: remote(place), ...(attributes && { attributes: attributes as OtelAttributes }) }
}
