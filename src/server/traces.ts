import type { Logger } from 'pino'
import type { ModelRecorder } from '../agent/answer/model-recorder.ts'
import type { ServerConfig } from '../config/config.ts'
import type { Redactor } from '../lib/redact/redactor.ts'
import { systemClock } from '../lib/clock.ts'
import { NO_TRACE } from '../lib/telemetry/trace-scope.ts'
import type { TraceScope } from '../lib/telemetry/trace-scope.ts'
import type { MetricFamily } from '../lib/telemetry/metrics.ts'
import { activeSpanIds } from '../observability/logs/active-span-ids.ts'
import { MetricExport } from '../observability/export/metric-export.ts'
import { SpanExport } from '../observability/export/span-export.ts'
import { SpanFeed } from '../observability/tracing/record/span-feed.ts'
import { ToolCalls } from '../observability/tracing/record/tool-calls.ts'
import { TraceQueries } from '../observability/tracing/record/trace-queries.ts'
import type { TraceRecorder } from '../observability/tracing/record/trace-recorder.ts'
import type { Tracing } from '../observability/tracing/tracing.ts'
import type { TraceStore } from '../store/trace-store.ts'

export interface TracesOptions {
  readonly logger: Logger
  readonly redactor: Redactor
  readonly production: boolean
  /** The metrics to export beside the traces. */
  readonly metrics: () => readonly MetricFamily[]
  /** As in the engine's options. */
  readonly modelRecorder?: ModelRecorder | undefined
  /** Names this process in exports, where others may use the same database. */
  readonly machine: () => string | undefined
}

interface Packages {
  readonly Tracing: typeof Tracing
  readonly TraceRecorder: typeof TraceRecorder
}

/** The traces of this process: recording, export and queries; and the export of its metrics. */
export class Traces {
  /** Publishes spans as they start and end. */
  readonly feed = new SpanFeed()
  readonly toolCalls = new ToolCalls()
  readonly #options: TracesOptions
  #packages: Packages | undefined
  #settings: ServerConfig['observability'] = { enabled: false }
  #store: TraceStore | undefined
  #tracing: Tracing | undefined
  #recorder: TraceRecorder | undefined
  #queries: TraceQueries | undefined
  readonly #export: SpanExport
  readonly #metricExport: MetricExport

  constructor(options: TracesOptions) {
    this.#options = options
    this.#export = new SpanExport({
      tracing: () => (this.enabled ? this.#tracing : undefined),
      env: process.env,
      clock: systemClock,
      logger: options.logger,
    })
    this.#metricExport = new MetricExport({
      read: options.metrics,
      enabled: () => this.enabled,
      instanceId: options.machine,
      env: process.env,
      clock: systemClock,
      logger: options.logger,
    })
  }

  /** The root scope; records nothing while the configuration disables traces. */
  get scope(): TraceScope {
    return (this.#settings.enabled ? this.#tracing?.root : undefined) ?? NO_TRACE
  }

  /** The scope of an execution that code starts while its calls of models are recorded; otherwise it has its own. */
  readonly ofStarted = (): TraceScope | undefined => {
    const traceparent = this.#options.modelRecorder?.newTrace(activeSpanIds()?.traceId)
    return traceparent === undefined ? undefined : this.scope.fromHeaders({ traceparent })
  }

  /** The scope of what code calls: in a route, that of the request. */
  readonly ofCall = (): TraceScope => {
    const span = activeSpanIds()
    return span ? this.scope.childOf(span) : this.scope
  }

  get enabled(): boolean {
    return this.scope.isRecording
  }

  /** Spans that are not stored yet. */
  get waiting(): number {
    return this.#recorder?.waiting ?? 0
  }

  /** Spans that could not be stored. */
  get dropped(): number {
    return this.#recorder?.lost ?? 0
  }

  get queries(): TraceQueries {
    if (!this.#queries) throw new Error('The database is not open')
    return this.#queries
  }

  /** The export of spans over OTLP. */
  get export(): SpanExport {
    return this.#export
  }

  /** Loads the modules that a configuration needs, so that `use` is synchronous. */
  async prepare({ enabled }: ServerConfig['observability']): Promise<void> {
    if (!enabled || this.#packages) return
    const [{ Tracing }, { TraceRecorder }] = await Promise.all([
      import('../observability/tracing/tracing.ts'),
      import('../observability/tracing/record/trace-recorder.ts'),
    ])
    this.#packages = { Tracing, TraceRecorder }
  }

  /** Applies the settings of a prepared configuration. */
  use(
    settings: ServerConfig['observability'],
    { traces, readOnly }: { traces: TraceStore; readOnly: boolean },
  ): void {
    this.#settings = settings
    if (this.#store !== traces && !readOnly) this.feed.follow(traces)
    this.#store = traces
    this.#queries ??= new TraceQueries(traces, async () => this.#recorder?.flush())
    if (settings.enabled && !readOnly && !this.#tracing && this.#packages) this.#record(this.#packages)
    this.refreshExports()
  }

  /** Applies the variables of the exports again. */
  refreshExports(): void {
    this.#export.refresh()
    this.#metricExport.refresh()
  }

  /** Ends spans that an earlier process left open. */
  async recover(): Promise<void> {
    await this.#store?.endOrphaned()
  }

  /** Stores pending spans, and exports pending spans for at most `exportGraceMs`. */
  async close(exportGraceMs: number): Promise<void> {
    await this.#recorder?.flush()
    await Promise.all([this.#export.close(exportGraceMs), this.#metricExport.close(exportGraceMs)])
    this.#tracing?.unregister()
    await this.#recorder?.close()
  }

  #record({ Tracing, TraceRecorder }: Packages): void {
    const { logger, redactor, production, machine } = this.#options
    const store = this.#store as TraceStore
    this.#tracing = new Tracing({
      records: () => this.#settings.enabled,
      redactor,
      instanceId: machine,
      feed: this.feed,
      capturesContent: () => this.#settings.captureContent ?? !production,
    })
    this.#recorder = new TraceRecorder({
      store,
      redact: this.#tracing.redact,
      onLost: (count, cause) =>
        logger.warn(
          { ...(cause !== undefined && { err: cause }), dropped: count },
          cause === undefined
            ? `${count} span(s) were dropped: they arrived faster than they could be stored`
            : `${count} span(s) could not be stored`,
        ),
    })
    this.#tracing.listen(this.#recorder)
    this.#tracing.listen(this.toolCalls)
    this.#tracing.register()
  }
}
