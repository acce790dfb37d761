import { context, ROOT_CONTEXT } from '@opentelemetry/api'
import { delay } from '../../lib/clock.ts'
import { messageOf } from '../../lib/errors.ts'
import { otelCore } from '../tracing/otel-sdk.ts'
import type { SpanData } from '../tracing/span/span-data.ts'
import type { SpanSink } from '../tracing/record/span-listener.ts'
import type { ExportSettings } from './export-settings.ts'
import type { OtlpEncoding } from './otlp-encoding.ts'
import { sendOnce } from './otlp-request.ts'
import type { Outcome } from './otlp-request.ts'

export interface OtlpSinkOptions {
  readonly settings: ExportSettings
  /** Loaded with the first batch. */
  readonly encoding: () => Promise<OtlpEncoding>
  readonly onSent: () => void
  /** `spans` of a batch were not taken; 0 while it is tried again. */
  readonly onProblem: (problem: string, spans: number) => void
  /** Default: a second, twice as long each time, half a minute at most. */
  readonly backoff?: { readonly firstMs: number; readonly longestMs: number }
}

const BACKOFF = { firstMs: 1000, longestMs: 30_000 } as const
const ATTEMPTS = 5
/** Collectors refuse larger bodies. */
const MAX_BYTES = 3 * 1024 * 1024

/** Sends batches of spans to a collector. One that fails is left alone for longer and longer. */
export class OtlpSink implements SpanSink {
  readonly #options: OtlpSinkOptions
  /** Aborts waits when the sink closes, and requests when its time is up. */
  readonly #closing = new AbortController()
  readonly #ended = new AbortController()
  #failures = 0
  /** Before this instant the collector is not asked again. */
  #notBefore = 0

  constructor(options: OtlpSinkOptions) {
    this.#options = options
  }

  async export(spans: readonly SpanData[]): Promise<void> {
    const { encode } = await this.#options.encoding()
    // libraries that trace requests would trace these, too, and each would make for another
    await context.with(otelCore().suppressTracing(ROOT_CONTEXT), () => this.#send(spans, encode))
  }

  lost(_: number, cause: unknown): void {
    if (cause !== undefined) this.#options.onProblem(messageOf(cause), 0)
  }

  /** From now on nothing is waited for: each batch is tried once more. */
  close(): void {
    this.#closing.abort()
  }

  /** Gives up requests under way, and whatever would come. */
  end(): void {
    this.close()
    this.#ended.abort()
  }

  /** Large batches are sent in halves. */
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
      if (outcome.kind === 'sent') return this.#sent(outcome.answer)
      this.#holdOff(outcome)
      const isOver = outcome.kind === 'refused' || attempt === ATTEMPTS || this.#closing.signal.aborted
      this.#options.onProblem(outcome.problem, isOver ? count : 0)
      if (isOver) return
    }
  }

  async #sent(answer: Uint8Array): Promise<void> {
    this.#failures = 0
    this.#notBefore = 0
    this.#options.onSent()
    const { rejected } = await this.#options.encoding()
    const { spans, reason } = rejected(answer)
    if (spans > 0) this.#options.onProblem(`The collector did not take some spans: ${reason}`, spans)
  }

  #holdOff(outcome: Exclude<Outcome, { kind: 'sent' }>): void {
    const { firstMs, longestMs } = this.#options.backoff ?? BACKOFF
    const backoff = Math.min(firstMs * 2 ** this.#failures++, longestMs)
    const asked = outcome.kind === 'retry' ? (outcome.afterMs ?? 0) : 0
    // up to a fifth more, so that many servers do not come back at once
    this.#notBefore = performance.now() + Math.max(backoff, asked) * (1 + Math.random() / 5)
  }

  async #pause(): Promise<void> {
    const wait = this.#notBefore - performance.now()
    // cut short by closing
    if (wait > 0) await delay(wait, this.#closing.signal).catch(() => undefined)
  }
}
