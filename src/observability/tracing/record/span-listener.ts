import type { SpanData } from '../span/span-data.ts'

/** Told of every span, in this turn: what takes long is put off. */
export interface SpanListener {
  /** The span may still hold secrets. */
  started?(span: SpanData): void
  ended(span: SpanData): void
}

/** Where spans that ended are sent, in batches. */
export interface SpanSink {
  /** What it throws loses the batch. */
  export(spans: readonly SpanData[]): void | Promise<void>
  /** Told how many spans were lost since the last time, with what the sink threw. */
  lost(count: number, cause: unknown): void
}

export interface SinkOptions {
  /** Spans that wait at most; beyond it new ones are dropped. Default 8,192. */
  readonly limit?: number
  /** Spans at a time. Default 512. */
  readonly batch?: number
  /** Default one second. */
  readonly everyMs?: number
}

/** A sink that spans are sent to. */
export interface AttachedSink {
  /** Spans that wait. */
  readonly waiting: number
  /** Spans that never came through. */
  readonly lost: number
  flush(): Promise<void>
  /** Sends nothing more; fulfils when what waits was sent. */
  detach(): Promise<void>
}
