import type { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Gate } from '../auth/gate.ts'
import type { ServerConfig } from '../config/config.ts'
import type { LoadedEvent } from '../config/live/load-event.ts'
import type { LoadFailure } from '../contract/load-failure.ts'
import type { StorageKind } from '../contract/endpoints/observability.ts'
import type { RecordedChange } from '../contract/endpoints/settings.ts'
import type { Engine } from '../engine/engine.ts'
import type { Registry } from '../engine/registry.ts'
import type { LogFeed } from '../observability/logs/log-feed.ts'
import type { LogQueries } from '../observability/logs/log-queries.ts'
import type { Clock } from '../lib/clock.ts'
import type { ListChanges } from '../mcp/served/sessions/list-changes.ts'
import type { TraceScope } from '../lib/telemetry/trace-scope.ts'
import type { SpanExport } from '../observability/export/span-export.ts'
import type { ServerMetrics } from '../observability/metrics/server-metrics.ts'
import type { TraceQueries } from '../observability/tracing/record/trace-queries.ts'
import type { TrustedOrigins } from '../auth/origin-rules.ts'

/** What is being served right now. Replaced whole when the configuration is reloaded. */
export interface Served {
  readonly config: ServerConfig
  readonly registry: Registry
  readonly engine: Engine
  readonly gate: Gate
  /** The user's own routes. */
  readonly userApp: Hono | undefined
  /** Keeps the code behind it from being disposed until the returned function is called. */
  readonly hold: () => () => void
  /** How it came to be. */
  readonly load: LoadedEvent
  readonly logs: LogQueries
  /** Of the database that is open. */
  readonly storage: StorageKind
  /** The project's files that the configuration is made of, relative to it. */
  readonly files: readonly string[]
}

/** Where a configuration is read from. */
export interface ProjectSource {
  /** The config file, relative to the project. */
  readonly file: string
  /** Whether changes are taken up by themselves. */
  readonly watched: boolean
}

export interface RecordedTraces {
  readonly enabled: boolean
  readonly queries: TraceQueries
  /** Spans that could not be stored. */
  readonly dropped: number
  readonly export: Pick<SpanExport, 'status'>
}

/** What the request path and the handlers work with. */
export interface Services {
  /** @throws AppError `unavailable` while there is no configuration or the server is stopping. */
  served(): Served
  /** Hosts and origins that the configuration trusts, besides this machine's own. */
  trustedOrigins(): TrustedOrigins
  /** Whether a request was made by the process itself, for the person who runs it. */
  isOperator(request: Request): boolean
  /** Whether the configuration has an auth provider. */
  authenticated(): boolean
  /** Whether a configuration is loaded and requests are served. */
  ready(): boolean
  /** Why the newest configuration is not the one that is served. */
  loadFailure(): LoadFailure | undefined
  /** Whether the console is served: also while nothing else is, for it shows why. */
  consoleOn(): boolean
  /** Where traces begin. */
  trace(): TraceScope
  /** What is recorded. */
  readonly traces: RecordedTraces
  /** What is counted. */
  readonly metrics: Pick<ServerMetrics, 'request' | 'render'>
  /** Variables were written into `.env`: those that spans are sent with. */
  keysWritten(names: readonly string[]): void
  readonly production: boolean
  /** Loads of the configuration and those that failed, newest first. */
  configChanges(): readonly RecordedChange[]
  /** Nothing where a program made the configuration. */
  readonly project: ProjectSource | undefined
  /** The project's directory, absolute. */
  readonly root: string
  readonly logger: Logger
  /** What is logged, as it is. */
  readonly logFeed: LogFeed
  readonly clock: Clock
  readonly newId: () => string
  readonly version: string
  /** What clients of served MCP servers listen to. */
  readonly mcpChanges: ListChanges
  /** Event streams that are open, to be ended at shutdown. */
  readonly openStreams: Set<AbortController>
}
