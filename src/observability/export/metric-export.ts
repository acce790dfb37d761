import { context, ROOT_CONTEXT } from '@opentelemetry/api'
import { suppressTracing } from '@opentelemetry/core'
import type { Logger } from 'pino'
import { delay } from '../../lib/clock.ts'
import type { Clock } from '../../lib/clock.ts'
import { messageOf } from '../../lib/errors.ts'
import type { MetricFamily } from '../../lib/telemetry/metrics.ts'
import { exportSettings, metricInterval } from './export-settings.ts'
import type { ExportSettings } from './export-settings.ts'
import { sendOnce } from './otlp-request.ts'

export interface MetricExportOptions {
  /** The current values. */
  readonly read: () => readonly MetricFamily[]
  /** Whether telemetry is on. */
  readonly enabled: () => boolean
  /** The resource attribute `service.instance.id`. Default: none. */
  readonly instanceId?: () => string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

interface Running {
  readonly settings: ExportSettings
  readonly everyMs: number
  readonly stop: AbortController
  readonly ended: Promise<void>
}

/**
 * Exports metrics to the OTLP endpoint of the environment, and applies changes of the environment. Values are
 * cumulative, so the next request replaces one that failed.
 */
export class MetricExport {
  readonly #options: MetricExportOptions
  readonly #startedAt: number
  #running: Running | undefined
  #problem: string | undefined
  #outage: string | undefined

  constructor(options: MetricExportOptions) {
    this.#options = options
    this.#startedAt = options.clock.now()
  }

  /** Reads the environment again. */
  refresh(): void {
    const { env, enabled, logger } = this.#options
    const wanted = enabled() ? exportSettings(env, 'METRICS') : undefined
    const problem = wanted && 'problem' in wanted ? wanted.problem : undefined
    if (problem !== undefined && problem !== this.#problem)
      logger.warn(`Metrics are not exported: ${problem}`)
    this.#problem = problem
    const settings = wanted && !('problem' in wanted) ? wanted : undefined
    const everyMs = metricInterval(env)
    const current = this.#running && { settings: this.#running.settings, everyMs: this.#running.everyMs }
    if (JSON.stringify(settings && { settings, everyMs }) === JSON.stringify(current)) return
    this.#running?.stop.abort()
    this.#outage = undefined
    this.#running = settings && this.#start(settings, everyMs)
  }

  /** Sends the last values, within `graceMs`. */
  async close(graceMs: number): Promise<void> {
    const running = this.#running
    this.#running = undefined
    if (!running) return
    running.stop.abort()
    await running.ended
    if (graceMs > 0) await this.#send(running.settings, AbortSignal.timeout(graceMs))
  }

  #start(settings: ExportSettings, everyMs: number): Running {
    const stop = new AbortController()
    return { settings, everyMs, stop, ended: this.#run(settings, everyMs, stop.signal) }
  }

  async #run(settings: ExportSettings, everyMs: number, stopped: AbortSignal): Promise<void> {
    for (;;) {
      await delay(everyMs, stopped).catch(() => undefined)
      if (stopped.aborted) return
      await this.#send(settings, stopped)
    }
  }

  async #send(settings: ExportSettings, aborted: AbortSignal): Promise<void> {
    const problem = await this.#trySend(settings, aborted).catch((error: unknown) => messageOf(error))
    if (!aborted.aborted) this.#report(settings, problem)
  }

  /** Returns the problem, if there is one. */
  async #trySend(settings: ExportSettings, aborted: AbortSignal): Promise<string | undefined> {
    const { read, clock, instanceId } = this.#options
    // on first use: a server that exports nothing never loads it
    const { encodeMetrics } = await import('./otlp-metrics.ts')
    const body = encodeMetrics(
      read(),
      { ...settings, instanceId: instanceId?.() },
      { start: this.#startedAt, end: clock.now() },
    )
    // an HTTP instrumentation would trace these requests
    const send = () => sendOnce(body, settings, aborted)
    const outcome = await context.with(suppressTracing(ROOT_CONTEXT), send)
    return outcome.kind === 'sent' ? undefined : outcome.problem
  }

  /** Logs the begin and the end of an outage. */
  #report({ endpoint }: ExportSettings, problem: string | undefined): void {
    const { logger } = this.#options
    if (problem !== undefined && this.#outage === undefined)
      logger.warn(`Cannot export metrics to ${endpoint}: ${problem}`)
    if (problem === undefined && this.#outage !== undefined)
      logger.info(`Metrics are exported to ${endpoint} again`)
    this.#outage = problem
  }
}
