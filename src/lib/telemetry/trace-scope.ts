/** Where a span stands: 32 and 16 hexadecimal digits. */
export interface SpanIds {
  readonly traceId: string
  readonly spanId: string
}

export type AttributeValue = string | number | boolean | readonly string[]

/** Members that are `undefined` are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>

export interface SpanLink {
  readonly span: SpanIds
  readonly attributes?: Attributes
}

export interface SpanOptions {
  /** Default `internal`. */
  readonly kind?: 'internal' | 'server' | 'client'
  readonly attributes?: Attributes
  readonly links?: readonly SpanLink[]
  /** Milliseconds since it began. Default: it begins now. */
  readonly ageMs?: number
}

/** A place in a trace, below which spans can be started. It is handed down from call to call. */
export interface TraceScope {
  /** The span that new ones are put below; `undefined` at the root, and where nothing is recorded. */
  readonly spanIds: SpanIds | undefined
  /** Whether spans are recorded. */
  readonly records: boolean
  /** Whether prompts, inputs and outputs belong on spans. */
  readonly capturesContent: boolean
  start(name: string, options?: SpanOptions): OpenSpan
  /** Runs the user's code, whose own OpenTelemetry spans then come below this place. */
  run<T>(work: () => T): T
  /** Below a span of another time or process. */
  at(span: SpanIds): TraceScope
  /** Below the span that a caller names (W3C Trace Context), if it names one. */
  below(headers: TraceHeaders): TraceScope
  /** The headers by which others put their spans below this place. */
  headers(): Record<string, string>
}

export interface TraceHeaders {
  readonly traceparent?: string | null | undefined
  readonly tracestate?: string | null | undefined
}

/** A span that has not ended. Once it has, nothing changes it any more. */
export interface OpenSpan extends TraceScope {
  set(attributes: Attributes): void
  /** Sets what a model, tool or step was given or gave, where content is captured. Text is cut to a bound. */
  content(name: string, value: () => unknown): void
  link(link: SpanLink): void
  /** Marks the span as failed, with an event for an error. One that was recorded, not thrown, brings its stack. */
  fail(error: unknown): void
  end(): void
}

class NoTrace implements OpenSpan {
  readonly spanIds = undefined
  readonly records = false
  readonly capturesContent = false

  start(): OpenSpan {
    return this
  }

  run<T>(work: () => T): T {
    return work()
  }

  at(): TraceScope {
    return this
  }

  below(): TraceScope {
    return this
  }

  headers(): Record<string, string> {
    return {}
  }

  set(): void {}
  content(): void {}
  link(): void {}
  fail(): void {}
  end(): void {}
}

/** Where nothing is recorded. */
export const NO_TRACE: OpenSpan = new NoTrace()
