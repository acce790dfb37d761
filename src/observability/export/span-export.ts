import type { Logger } from 'pino'
import { delay, toIso } from '../../lib/clock.ts'
import type { Clock } from '../../lib/clock.ts'
import { lazy } from '../../lib/async/lazy.ts'
import type { AttachedSink } from '../tracing/record/span-listener.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { exportSettings } from './export-settings.ts'
import type { ExportSettings } from './export-settings.ts'
import { OtlpSink } from './otlp-sink.ts'
import type { OtlpSinkOptions } from './otlp-sink.ts'

export interface SpanExportOptions {
  /** The tracing of the server; `undefined` while it is off. */
  readonly tracing: () => Pick<Tracing, 'addSink'> | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly backoff?: OtlpSinkOptions['backoff']
  /** Milliseconds until an incomplete batch is sent. Default: 1,000. */
  readonly everyMs?: number
}

/** The state of the trace export. */
export interface SpanExportStatus {
  readonly enabled: boolean
  /** The endpoint without credentials; null when none is configured. */
  readonly endpoint: string | null
  /** ISO 8601, UTC. */
  readonly lastSuccessAt: string | null
  /** The current problem; null after the next success. */
  readonly lastError: string | null
  /** Spans that could not be sent. */
  readonly dropped: number
}

/** Maximum number of spans in the queue: a collector that does not respond must not fill the memory. */
const MAX_WAITING = 2048
/** OpenTelemetry's default, sent each second to keep backends current. */
const BATCH = 512
const EVERY_MS = 1000
/** Time for the queue to drain to the previous endpoint after the settings changed. */
const DETACH_MS = 5000

interface Running {
  readonly settings: ExportSettings
  readonly sink: OtlpSink
  readonly attached: AttachedSink
}

/** Exports spans to the OTLP endpoint of the environment, and applies changes of the environment. */
export class SpanExport {
  readonly #options: SpanExportOptions
  #running: Running | undefined
  #problem: string | undefined
  #lastSuccess: number | undefined
  #lastError: string | undefined
  #dropped = 0

  constructor(options: SpanExportOptions) {
    this.#options = options
  }

  /** Reads the environment again. Queued spans are still sent to the previous endpoint. */
  refresh(): void {
    const { env, logger } = this.#options
    const wanted = exportSettings(env)
    const problem = wanted && 'problem' in wanted ? wanted.problem : undefined
    if (problem !== undefined && problem !== this.#problem) logger.warn(`Spans are not exported: ${problem}`)
    this.#problem = problem
    const tracing = this.#options.tracing()
    const settings = tracing && wanted && !('problem' in wanted) ? wanted : undefined
    if (JSON.stringify(settings) === JSON.stringify(this.#running?.settings)) return
    if (this.#running) void this.#detach(this.#running, DETACH_MS)
    this.#lastError = undefined
    this.#running = settings && tracing && this.#start(settings, tracing)
  }

  get status(): SpanExportStatus {
    const { settings } = this.#running ?? {}
    return {
      enabled: settings !== undefined,
      endpoint: settings?.endpoint ?? null,
      lastSuccessAt: this.#lastSuccess === undefined ? null : toIso(this.#lastSuccess),
      lastError: this.#problem ?? this.#lastError ?? null,
      dropped: this.#dropped + (this.#running?.attached.lost ?? 0),
    }
  }

  /** Number of spans in the queue. */
  get waiting(): number {
    return this.#running?.attached.waiting ?? 0
  }

  /** Sends the queued spans, within `graceMs`. */
  async close(graceMs: number): Promise<void> {
    const running = this.#running
    this.#running = undefined
    if (running) await this.#detach(running, graceMs)
  }

  #start(settings: ExportSettings, tracing: Pick<Tracing, 'addSink'>): Running {
    const sink = new OtlpSink({
      settings,
      encoding: lazy(async () => (await import('./otlp-encoding.ts')).otlpEncoding(settings)),
      onSent: () => this.#onSent(settings),
      onProblem: (problem, spans) => this.#onProblem(settings, problem, spans),
      ...(this.#options.backoff && { backoff: this.#options.backoff }),
    })
    const attached = tracing.addSink({
      write: (spans) => sink.export(spans),
      onLost: (count, cause) => sink.onLost(count, cause),
      limit: MAX_WAITING,
      batch: BATCH,
      everyMs: this.#options.everyMs ?? EVERY_MS,
    })
    return { settings, sink, attached }
  }

  #onSent(settings: ExportSettings): void {
    if (this.#running?.settings !== settings) return
    if (this.#lastError !== undefined)
      this.#options.logger.info(`Spans are exported to ${settings.endpoint} again`)
    this.#lastSuccess = this.#options.clock.now()
    this.#lastError = undefined
  }

  #onProblem(settings: ExportSettings, problem: string, spans: number): void {
    this.#dropped += spans
    if (this.#running?.settings !== settings) return
    // logged once per outage, not for every batch
    if (this.#lastError === undefined)
      this.#options.logger.warn(`Cannot export spans to ${settings.endpoint}: ${problem}`)
    this.#lastError = problem
  }

  /** Detaches a sink and sends its queued spans, within `graceMs`. */
  async #detach({ sink, attached }: Running, graceMs: number): Promise<void> {
    // the sink is no longer read by `status`, so its losses are counted here
    const lost = attached.lost
    this.#dropped += lost
    sink.close()
    const done = new AbortController()
    const detached = attached.detach()
    const timeUp = delay(graceMs, done.signal)
    await Promise.race([detached, timeUp.catch(() => undefined)])
    done.abort()
    sink.end()
    await detached
    this.#dropped += attached.lost - lost
  }
}
