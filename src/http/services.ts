import type { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Gate } from '../auth/gate.ts'
import type { AuthFailures } from '../auth/auth-failures.ts'
import type { ResumeLinks } from '../auth/resume-links.ts'
import type { StreamPermissions } from '../auth/stream-permissions.ts'
import type { ProjectToken } from '../auth/project-token.ts'
import type { ServerConfig } from '../config/config.ts'
import type { LoadedEvent } from '../config/live/load-event.ts'
import type { LoadFailure } from '../contract/load-failure.ts'
import type { EvalRun, EvalRunDetail, EvalSummary, PlannedCase } from '../contract/endpoints/project/evals.ts'
import type { Pin } from '../contract/endpoints/project/pins.ts'
import type { StorageKind } from '../contract/endpoints/observability.ts'
import type { RecordedChange } from '../contract/endpoints/settings.ts'
import type { Engine } from '../engine/engine.ts'
import type { Registry } from '../engine/registry.ts'
import type { LogFeed } from '../observability/logs/log-feed.ts'
import type { LogQueries } from '../observability/logs/log-queries.ts'
import type { Clock } from '../lib/clock.ts'
import type { ListChanges } from '../mcp/served/sessions/list-changes.ts'
import type { Redactor } from '../lib/redact/redactor.ts'
import type { TraceScope } from '../lib/telemetry/trace-scope.ts'
import type { SpanExport } from '../observability/export/span-export.ts'
import type { ServerMetrics } from '../observability/metrics/server-metrics.ts'
import type { SearchQueries } from '../engine/search/search-queries.ts'
import type { ToolCalls } from '../observability/tracing/record/tool-calls.ts'
import type { TraceQueries } from '../observability/tracing/record/trace-queries.ts'
import type { Page } from '../store/page.ts'
import type { Store } from '../store/store.ts'
import type { OutgoingEvent } from './reply/reply.ts'
import type { TrustedOrigins } from '../auth/origin-rules.ts'

/** The configuration in service and what was built from it. Replaced as a whole by each reload. */
export interface ServedGeneration {
  readonly config: ServerConfig
  readonly registry: Registry
  readonly engine: Engine
  readonly gate: Gate
  /** Signs and verifies links that resume executions. */
  readonly links: ResumeLinks
  /** The custom routes of `configureApp`. */
  readonly userApp: Hono | undefined
  /** Keeps this generation of the user's code from being disposed until the returned function is called. */
  readonly hold: () => () => void
  /** The load that put it into service. */
  readonly load: LoadedEvent
  /** The version of this package and a hash of the generation's files. */
  readonly release: () => string
  readonly logs: LogQueries
  readonly search: SearchQueries
  readonly store: Pick<Store, 'dispatcher' | 'ownerEpoch' | 'evals' | 'failures' | 'traces' | 'changes'>
  /** The kind of the open database. */
  readonly storage: StorageKind
  /** The kind of the one with logs and traces. */
  readonly telemetryStorage: StorageKind
  /** The project files that the configuration was loaded from, relative to the project. */
  readonly files: readonly string[]
}

/** The file that a configuration is read from. */
export interface ProjectSource {
  /** The path of the config file, relative to the project. */
  readonly file: string
  /** Whether it is reloaded on changes. */
  readonly watched: boolean
}

export interface RecordedTraces {
  readonly enabled: boolean
  readonly queries: TraceQueries
  /** The newest calls of tools in this process. */
  readonly toolCalls: Pick<ToolCalls, 'of'>
  /** Spans that could not be stored. */
  readonly dropped: number
  readonly export: Pick<SpanExport, 'status'>
}

/** The pinned executions of a project; see Pins in server/dev. */
export interface PinBoard {
  list(): Promise<readonly Pin[]>
  /** @throws AppError `not_found`; `invalid_input` for a step that was not reached; `conflict` over the maximum. */
  pin(executionId: string, stepId?: string): Promise<Pin>
  /** @throws AppError `not_found` */
  unpin(executionId: string): Promise<void>
}

/** The runs of the project's evals; see EvalRuns in server/evals. */
export interface EvalBoard {
  list(): Promise<readonly EvalSummary[]>
  /** In the order in which they run. Throws AppError `not_found` for an eval that has no runs and does not exist. */
  cases(
    evalId: string,
    page: Page & { readonly caseId?: string | undefined },
  ): Promise<{ readonly cases: readonly PlannedCase[]; readonly total: number }>
  /** Newest first. Throws AppError `not_found` for an eval that has none and does not exist. */
  runs(evalId: string, page: Page): Promise<{ readonly runs: readonly EvalRun[]; readonly total: number }>
  /** @throws AppError `not_found`; `conflict` while it is running; `too_many_requests` while several others are. */
  run(evalId: string): Promise<EvalRun>
  /** @throws AppError `not_found` */
  detail(runId: string, page: Page): Promise<EvalRunDetail>
  /** The events after a number, until the run has ended. Throws AppError `not_found`. */
  follow(runId: string, after: number, signal: AbortSignal): Promise<AsyncGenerator<OutgoingEvent>>
  /** @throws AppError `not_found`; `conflict` for a run that has ended. */
  cancel(runId: string): Promise<EvalRun>
}

/** Dependencies of the request path and the handlers. */
export interface Services {
  /**
   * The generation in service.
   *
   * @throws AppError `unavailable` while no configuration is loaded or the server is stopping.
   */
  current(): ServedGeneration
  /** Hosts and origins that the configuration trusts, in addition to loopback. */
  trustedOrigins(): TrustedOrigins
  /** Whether a request was made in this process by the CLI: all routes are open to it. */
  isOperator(request: Request): boolean
  /** Whether the configuration has an auth provider. */
  authenticated(): boolean
  /** @throws AppError `unavailable` when no configuration is loaded, the server stops, or its database cannot be used. */
  requireReady(): void
  /** Why the newest configuration failed to load, while an older one or none is in service. */
  loadFailure(): LoadFailure | undefined
  /** Whether the console is enabled. It is served before a configuration is loaded, to show why none is. */
  consoleOn(): boolean
  /** Whether the configuration switches off the endpoints of an option. */
  switchedOff(option: 'openai'): boolean
  /** The custom routes, if a configuration with some is loaded. */
  userApp(): Hono | undefined
  /** Runs user code so that its calls are made on this server. */
  readonly enter: <T>(work: () => T) => T
  /** The root scope: spans started in it begin a trace. */
  trace(): TraceScope
  readonly traces: RecordedTraces
  readonly metrics: Pick<ServerMetrics, 'request' | 'scrape'>
  /** Applies trace-export credentials that were written to `.env`. */
  keysWritten(names: readonly string[]): void
  readonly production: boolean
  /** Set under `agentserver dev` only. */
  readonly projectToken: Pick<ProjectToken, 'check'> | undefined
  /** Set under `agentserver dev` only. */
  readonly pins: PinBoard | undefined
  readonly evals: EvalBoard
  /** Successful and failed loads of the configuration, newest first. */
  configChanges(): readonly RecordedChange[]
  /** Calls `listener` after each load of the configuration and each change of a pin, until the returned function is called. */
  onProjectChange(listener: () => void): () => void
  /** `undefined` when a program passed the configuration to `createServer`. */
  readonly project: ProjectSource | undefined
  /** The project's directory, absolute. */
  readonly root: string
  readonly logger: Logger
  /** Removes the secrets of this process from data. */
  readonly redactor: Redactor
  /** Log records as they are written. */
  readonly logFeed: LogFeed
  readonly clock: Clock
  readonly newId: () => string
  readonly version: string
  /** Notifies clients of served MCP servers about changed tools, resources and prompts. */
  readonly mcpChanges: ListChanges
  /** Counts requests with invalid credentials. */
  readonly authFailures: Pick<AuthFailures, 'add'>
  /** Ends streams whose permission ends. */
  readonly permissions: Pick<StreamPermissions, 'hold'>
  /** Open streams and client requests, aborted at shutdown. */
  readonly openStreams: Set<AbortController>
}
