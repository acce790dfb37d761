import { context, ROOT_CONTEXT } from '@opentelemetry/api'
import { suppressTracing } from '@opentelemetry/core'
import { delay } from '../../lib/clock.ts'
import { messageOf } from '../../lib/errors.ts'
import type { SpanData } from '../tracing/span/span-data.ts'
import type { ExportSettings } from './export-settings.ts'
import type { OtlpEncoding } from './otlp-encoding.ts'
import { sendOnce } from './otlp-request.ts'
import type { Outcome } from './otlp-request.ts'

export interface OtlpSinkOptions {
  readonly settings: ExportSettings
  /** Loads the encoding, with the first batch. */
  readonly encoding: () => Promise<OtlpEncoding>
  readonly onSent: () => void
  /** Called when `spans` spans of a batch are lost; with 0 when the batch will be retried. */
  readonly onProblem: (problem: string, spans: number) => void
  /** Wait before a retry, doubled each time. Default: 1 to 30 seconds. */
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number }
}

const BACKOFF = { firstMs: 1000, maxMs: 30_000 } as const
const ATTEMPTS = 5
/** Maximum size of a request body: collectors refuse larger ones. */
const MAX_BYTES = 3 * 1024 * 1024

/** Sends batches of spans to a collector, with exponential backoff after a failure. */
export class OtlpSink {
  readonly #options: OtlpSinkOptions
  /** Aborts waiting for a retry. */
  readonly #closing = new AbortController()
  /** Aborts requests. */
  readonly #ended = new AbortController()
  #failures = 0
  /** The time of the next request at the earliest, by `performance.now()`. */
  #notBefore = 0

  constructor(options: OtlpSinkOptions) {
    this.#options = options
  }

  async export(spans: readonly SpanData[]): Promise<void> {
    const { encode } = await this.#options.encoding()
    // an HTTP instrumentation would trace these requests, and each trace would cause another request
    await context.with(suppressTracing(ROOT_CONTEXT), () => this.#send(spans, encode))
  }

  onLost(_: number, cause: unknown): void {
    if (cause !== undefined) this.#options.onProblem(messageOf(cause), 0)
  }

  /** Stops waiting between attempts: each remaining batch is sent once. */
  close(): void {
    this.#closing.abort()
  }

  /** Aborts the current request and all later ones. */
  end(): void {
    this.close()
    this.#ended.abort()
  }

  /** Sends a batch; one that is too large is split in halves. */
  async #send(spans: readonly SpanData[], encode: OtlpEncoding['encode']): Promise<void> {
    const body = encode(spans)
    if (body.byteLength <= MAX_BYTES || spans.length === 1) return this.#deliver(body, spans.length)
    const half = Math.ceil(spans.length / 2)
    await this.#send(spans.slice(0, half), encode)
    await this.#send(spans.slice(half), encode)
  }

  async #deliver(body: Uint8Array, count: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await this.#pause()
      const outcome = await sendOnce(body, this.#options.settings, this.#ended.signal)
      if (outcome.kind === 'sent') return this.#onSent(outcome.response)
      this.#holdOff(outcome)
      const isOver = outcome.kind === 'refused' || attempt === ATTEMPTS || this.#closing.signal.aborted
      this.#options.onProblem(outcome.problem, isOver ? count : 0)
      if (isOver) return
    }
  }

  async #onSent(response: Uint8Array): Promise<void> {
    this.#failures = 0
    this.#notBefore = 0
    this.#options.onSent()
    const { decodeRejected: rejected } = await this.#options.encoding()
    const { spans, reason } = rejected(response)
    if (spans > 0) this.#options.onProblem(`The collector rejected some spans: ${reason}`, spans)
  }

  #holdOff(outcome: Exclude<Outcome, { kind: 'sent' }>): void {
    const { firstMs, maxMs } = this.#options.backoff ?? BACKOFF
    const backoff = Math.min(firstMs * 2 ** this.#failures++, maxMs)
    const retryAfter = outcome.kind === 'retry' ? (outcome.afterMs ?? 0) : 0
    // up to 20 % of jitter, so that many servers do not retry at the same time
    this.#notBefore = performance.now() + Math.max(backoff, retryAfter) * (1 + Math.random() / 5)
  }

  async #pause(): Promise<void> {
    const wait = this.#notBefore - performance.now()
    // closing ends the wait
    if (wait > 0) await delay(wait, this.#closing.signal).catch(() => undefined)
  }
}
