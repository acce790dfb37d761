import type { SpanData } from '../span/span-data.ts'

/** A listener that is called synchronously for every span. It must be fast. */
export interface SpanListener {
  /** The span is not redacted yet. */
  onStart?(span: SpanData): void
  onEnd(span: SpanData): void
}

/** A destination of ended spans, which it receives in batches. */
export interface SpanSink {
  /** Maximum number of spans in the queue; further ones are dropped. Default: 8,192. */
  readonly limit?: number
  /** Spans per batch. Default: 512. */
  readonly batch?: number
  /** Milliseconds until an incomplete batch is sent. Default: 1,000. */
  readonly everyMs?: number
  /** An error loses the batch. */
  readonly write: (spans: readonly SpanData[]) => void | Promise<void>
  /** Called with the number of spans lost since the last call, and the error of `write`. */
  readonly onLost: (count: number, cause: unknown) => void
}

/** A sink with its queue. */
export interface AttachedSink {
  /** Number of spans in the queue. */
  readonly waiting: number
  /** Number of spans that were dropped. */
  readonly lost: number
  flush(): Promise<void>
  /** Stops taking spans; resolves when the queued ones are sent. */
  detach(): Promise<void>
}
