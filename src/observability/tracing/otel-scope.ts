import { ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api'
import type { Attributes as OtelAttributes, Context, Link, Span } from '@opentelemetry/api'
import { AppError, messageOf } from '../../lib/errors.ts'
import { ATTRIBUTE } from '../../contract/attributes.ts'
import type {
  Attributes,
  OpenSpan,
  SpanLink,
  SpanOptions,
  SpanIds,
  TraceHeaders,
  TraceScope,
} from '../../lib/telemetry/trace-scope.ts'
import { RecordingSpan } from './span/span.ts'
import type { SpanDeps } from './span/span.ts'
import { INHERITED, TRACE_CONTEXT } from './trace-context.ts'

/** Dependencies of all scopes of a process. */
export interface ScopeDeps extends SpanDeps {
  readonly capturesContent: () => boolean
  /** Redacts the secrets of a text. */
  readonly redact: (text: string) => string
  /** Runs user code with an active context. */
  readonly activate: <T>(context: Context, work: () => T) => T
}

/** Long prompts stay readable, and a span stays small. */
const CONTENT_CHARACTERS = 16_384

/** A trace scope on OpenTelemetry's API. */
export class OtelScope implements TraceScope {
  readonly isRecording = true
  readonly #deps: ScopeDeps
  readonly #span: Span | undefined
  readonly #inherited: Attributes | undefined
  #context: Context | undefined

  /** `span` is the parent of new spans, which have the attributes `inherited`. */
  constructor(deps: ScopeDeps, span?: Span, inherited?: Attributes) {
    this.#deps = deps
    this.#span = span
    this.#inherited = inherited
  }

  get spanIds(): SpanIds | undefined {
    return this.#span?.spanContext()
  }

  /** The context, created on first use: most scopes only start spans. */
  get context(): Context {
    return (this.#context ??= this.#createContext())
  }

  get capturesContent(): boolean {
    return this.#deps.capturesContent()
  }

  start(name: string, options: SpanOptions = {}): OpenSpan {
    const { kind = 'internal', attributes, links, ageMs } = options
    const inherited = merged(this.#inherited, options.inherited)
    const span = new RecordingSpan(this.#deps, {
      name,
      kind,
      parent: this.#span?.spanContext(),
      ageMs,
      attributes: inherited ? { ...attributes, ...inherited } : attributes,
      links: links?.map((link) => toLink(link)),
    })
    return new OtelSpan(this.#deps, span, inherited)
  }

  run<T>(work: () => T): T {
    return this.#deps.activate(this.context, work)
  }

  childOf(span: SpanIds): TraceScope {
    return new OtelScope(this.#deps, trace.wrapSpanContext(remote(span)), this.#inherited)
  }

  fromHeaders({ traceparent, tracestate }: TraceHeaders): TraceScope {
    if (traceparent === undefined || traceparent === null) return this
    const carrier = { traceparent, tracestate: tracestate ?? undefined }
    const context = TRACE_CONTEXT.extract(this.context, carrier, {
      get: (headers, key) => headers[key as keyof typeof headers],
      keys: (headers) => Object.keys(headers),
    })
    return context === this.context
      ? this
      : new OtelScope(this.#deps, trace.getSpan(context), this.#inherited)
  }

  toHeaders(): Record<string, string> {
    const headers: Record<string, string> = {}
    TRACE_CONTEXT.inject(this.context, headers, {
      set: (carrier, key, value) => {
        carrier[key] = value
      },
    })
    return headers
  }

  #createContext(): Context {
    const context = this.#span ? trace.setSpan(ROOT_CONTEXT, this.#span) : ROOT_CONTEXT
    return this.#inherited ? context.setValue(INHERITED, this.#inherited) : context
  }
}

class OtelSpan extends OtelScope implements OpenSpan {
  readonly #redact: ScopeDeps['redact']
  readonly #span: RecordingSpan

  constructor(deps: ScopeDeps, span: RecordingSpan, inherited: Attributes | undefined) {
    super(deps, span, inherited)
    this.#redact = deps.redact
    this.#span = span
  }

  override get spanIds(): SpanIds {
    return this.#span.spanContext()
  }

  setAttributes(attributes: Attributes): void {
    this.#span.setAttributes(attributes)
  }

  setContent(name: string, value: () => unknown): void {
    if (!this.capturesContent || !this.#span.isRecording()) return
    const content = value()
    if (content === undefined) return
    this.#span.setAttribute(
      name,
      this.#truncate(typeof content === 'string' ? content : (JSON.stringify(content) ?? '')),
    )
  }

  addLink(link: SpanLink): void {
    this.#span.addLink(toLink(link))
  }

  fail(error: unknown): void {
    const { name = typeof error, message = messageOf(error), stack } = (error ?? {}) as Partial<Error>
    this.#span.setAttribute(ATTRIBUTE.errorType, error instanceof AppError ? error.code : name)
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message })
    // recorded errors are plain objects: their stack has project-relative paths, and is absent in production
    const stacktrace = error instanceof Error ? undefined : stack
    if (stacktrace === undefined && !(error instanceof Error)) return
    const exception = { type: name, message, ...(stacktrace !== undefined && { stacktrace }) }
    const attributes = Object.entries(exception).map(([key, value]) => [`exception.${key}`, value])
    this.#span.addEvent('exception', Object.fromEntries(attributes) as OtelAttributes)
  }

  end(): void {
    this.#span.end()
  }

  /** Truncates text after redaction, so that no part of a secret is left. */
  #truncate(text: string): string {
    if (text.length <= CONTENT_CHARACTERS) return text
    return `${this.#redact(text.slice(0, 2 * CONTENT_CHARACTERS)).slice(0, CONTENT_CHARACTERS)}…`
  }
}

/** The attributes, without those that are `undefined`. */
function merged(outer: Attributes | undefined, own: Attributes | undefined): Attributes | undefined {
  if (!own) return outer
  const defined = Object.entries(own).filter(([, value]) => value !== undefined)
  return defined.length === 0 ? outer : { ...outer, ...Object.fromEntries(defined) }
}

function remote({ traceId, spanId }: SpanIds) {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }
}

function toLink({ span, attributes }: SpanLink): Link {
  return { context: remote(span), ...(attributes && { attributes: attributes as OtelAttributes }) }
}
