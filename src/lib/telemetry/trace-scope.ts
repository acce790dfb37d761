/** The identity of a span (W3C Trace Context): 32 and 16 hexadecimal digits. */
export interface SpanIds {
  /** Id of the trace: 32 hexadecimal digits. */
  readonly traceId: string
  /** Id of the span: 16 hexadecimal digits. */
  readonly spanId: string
}

export type AttributeValue = string | number | boolean | readonly string[]

/** Attributes of a span. Those that are `undefined` are not set. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>

export interface SpanLink {
  /** The linked span. */
  readonly span: SpanIds
  /** Attributes of the link. */
  readonly attributes?: Attributes
}

export interface SpanOptions {
  /** Default: `internal`. */
  readonly kind?: 'internal' | 'server' | 'client'
  /** Attributes of the span. */
  readonly attributes?: Attributes
  /** Attributes of the span and of all spans below it, in this process. */
  readonly inherited?: Attributes
  /** Links to other spans. */
  readonly links?: readonly SpanLink[]
  /** Time since the start of the span, in milliseconds. Default: 0. */
  readonly ageMs?: number
}

/** A position in a trace: the parent of new spans. It is passed explicitly from call to call. */
export interface TraceScope {
  /** The parent of new spans; `undefined` for root spans, and if nothing is recorded. */
  readonly spanIds: SpanIds | undefined
  /** Whether spans are recorded. */
  readonly isRecording: boolean
  /** Whether spans contain prompts, inputs and outputs. */
  readonly capturesContent: boolean
  /** Starts a span, which its caller ends. */
  start(name: string, options?: SpanOptions): OpenSpan
  /** Runs user code, whose own OpenTelemetry spans become children. */
  run<T>(work: () => T): T
  /** Returns the scope of a span that is not open in this process. */
  childOf(span: SpanIds): TraceScope
  /** Returns the scope of the caller's span (W3C Trace Context), or this one if the headers have none. */
  fromHeaders(headers: TraceHeaders): TraceScope
  /** The headers (W3C Trace Context) for requests to other services. */
  toHeaders(): Record<string, string>
}

export interface TraceHeaders {
  /** W3C `traceparent` header. */
  readonly traceparent?: string | null | undefined
  /** W3C `tracestate` header. */
  readonly tracestate?: string | null | undefined
}

/** A span that has not ended. After its end, calls have no effect. */
export interface OpenSpan extends TraceScope {
  /** Sets attributes of the span. */
  setAttributes(attributes: Attributes): void
  /** Sets an attribute with an input or output, if content is captured. Long text is truncated. */
  setContent(name: string, value: () => unknown): void
  /** Links another span. */
  addLink(link: SpanLink): void
  /**
   * Sets the status to error and adds an `exception` event. Only errors from the execution record, which are plain
   * objects, have their stack in the event: its paths are already relative to the project.
   */
  fail(error: unknown): void
  /** Ends the span. */
  end(): void
}

/** A scope that records nothing. */
export class NoTrace implements OpenSpan {
  readonly spanIds = undefined
  readonly isRecording: boolean = false
  readonly capturesContent = false

  start(_name?: string, _options?: SpanOptions): OpenSpan {
    return this
  }

  run<T>(work: () => T): T {
    return work()
  }

  childOf(): TraceScope {
    return this
  }

  fromHeaders(): TraceScope {
    return this
  }

  toHeaders(): Record<string, string> {
    return {}
  }

  setAttributes(): void {}
  setContent(): void {}
  addLink(): void {}
  fail(): void {}
  end(): void {}
}

/** The scope that records nothing. */
export const NO_TRACE: OpenSpan = new NoTrace()
