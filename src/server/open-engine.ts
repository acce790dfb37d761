import type { Logger } from 'pino'
import { projectRelative } from '../config/loader/errors/load-error.ts'
import { throwSiteOf } from '../config/loader/errors/throw-site.ts'
import type { ServerConfig } from '../config/config.ts'
import type { ModelRecorder } from '../agent/answer/model-recorder.ts'
import type { StorageKind } from '../contract/endpoints/observability.ts'
import { Engine } from '../engine/engine.ts'
import type { EngineMeter } from '../engine/engine-meter.ts'
import type { ServedGeneration } from '../http/services.ts'
import type { RetentionRule } from '../lib/async/prune-loop.ts'
import { ClockCheck } from '../lib/clock-check.ts'
import { parseDuration } from '../lib/duration.ts'
import { systemClock } from '../lib/clock.ts'
import type { Clock } from '../lib/clock.ts'
import { ResumeLinks } from '../auth/resume-links.ts'
import { LINK_SECRET, linkSecret } from './link-secret.ts'
import { mayReceive, mayStart } from '../auth/caller-access.ts'
import { pruneTelemetry } from '../observability/prune-telemetry.ts'
import { shortPaths } from '../lib/files/short-paths.ts'
import type { AppError } from '../lib/errors.ts'
import { uuidV7Generator } from '../lib/ids.ts'
import type { TraceScope } from '../lib/telemetry/trace-scope.ts'
import { LogQueries } from '../observability/logs/log-queries.ts'
import { SearchIndex } from '../engine/search/search-index.ts'
import { SearchQueries } from '../engine/search/search-queries.ts'
import type { ServerLogs } from '../observability/logs/server-logs.ts'
import { storageKind } from '../store/database-url.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'

export interface OpenEngineDeps {
  /** The project's directory, absolute. */
  readonly root: string
  readonly production: boolean
  /** Whether another process may own the database. */
  readonly readOnly: boolean
  /** As in `openStore`. */
  readonly migrate: boolean
  readonly retry: boolean
  readonly logs: ServerLogs
  /** The clock of executions. Default: the system's. */
  readonly clock?: Clock
  /** Whether schedules start executions. */
  readonly runsSchedules: boolean
  readonly meter: EngineMeter
  /** As in the engine's options. */
  readonly modelRecorder?: ModelRecorder | undefined
  readonly trace: () => TraceScope
  /** The generation for new work. Throws while the server is stopping. */
  readonly current: () => ServedGeneration
  /** The generation for work in progress. */
  readonly served: () => ServedGeneration
  /** As in the engine's options. */
  readonly enter: <T>(work: () => T) => T
  /** The URL at which this machine reaches the server. */
  readonly localUrl: () => string
  /** The release that is reported to other machines. */
  readonly release: () => string
}

/** An open database, with the engine and the log queries on it. */
export interface OpenEngine {
  readonly store: Store
  readonly engine: Engine
  readonly links: ResumeLinks
  readonly logs: LogQueries
  readonly search: SearchQueries
  readonly searchIndex: SearchIndex
  readonly storage: StorageKind
  readonly telemetryStorage: StorageKind
  /** Deletes telemetry that the rule does not cover, until the returned function is called. */
  readonly pruneTelemetry: (rule: () => RetentionRule) => () => void
}

/**
 * Opens the database of a configuration and creates the engine. Both stay until the server stops, and so do
 * the `database`, `durability`, `retention` and `limits` of this first configuration.
 *
 * @throws AppError when the database can't be opened.
 */
export async function openEngine(
  { database: url, durability, retention, limits, observability, approvals }: ServerConfig,
  {
    root,
    production,
    readOnly,
    migrate,
    retry,
    logs,
    clock = systemClock,
    runsSchedules,
    meter,
    modelRecorder,
    trace,
    current,
    served,
    enter,
    release,
    localUrl,
  }: OpenEngineDeps,
): Promise<OpenEngine> {
  const { logger } = logs
  const store = await openStore({
    url,
    root,
    telemetry: observability.store,
    durability,
    readOnly,
    migrate,
    retry,
    clock,
    logger,
    onHealth: (problem) => logHealth(logger, problem),
  })
  const links = new ResumeLinks(linkSecret({ root, production, inMemory: url === ':memory:' }))
  const newestRecordAt = () => store.newestRecordAt
  const clockCheck = new ClockCheck({ clock: systemClock, newestRecordAt, logger })
  const engine = new Engine({
    store,
    meter,
    modelRecorder,
    trace,
    clock,
    clockCheck,
    newId: uuidV7Generator(),
    logger,
    production,
    projectDir: root,
    errors: {
      shorten: shortPaths(root),
      stacks: !production,
      redact: logs.redactor.text,
      locate: (error) => {
        const site = throwSiteOf(error)
        return site && { ...site, file: projectRelative(root, site.file) }
      },
    },
    retention: retention.executions,
    evalRetention: retention.evals,
    eventsMs: parseDuration(retention.events) ?? 0,
    mayReceive: (sender, execution, effect) => {
      const { gate, engine: receiving } = served()
      return mayReceive({ policy: gate.policy, engine: receiving }, sender, { ...execution, effect })
    },
    linkTtlMs: () => parseDuration(served().config.linkTtl) ?? 0,
    linkTo: (suspension) => {
      const token = links.tokenOf(suspension)
      const base = served().config.publicUrl ?? (production ? undefined : localUrl())
      if (token !== undefined && base !== undefined) return `${base}/links/${token}`
      const missing =
        token === undefined ? `the variable ${LINK_SECRET} is not set` : 'publicUrl is not configured'
      logger.error(
        { executionId: suspension.executionId },
        `There is no link to the suspended step, and notify is not called: ${missing}`,
      )
      return undefined
    },
    mayStart: (sender, workflowId) => mayStart(served().gate.policy, sender, workflowId),
    resultBytes: limits.resultBytes,
    maxItems: limits.items,
    maxCalls: limits.calls,
    approvalsTimeoutMs: parseDuration(approvals.timeout),
    runsSchedules,
    maxQueued: limits.queued,
    registry: () => current().registry,
    prices: () => served().config.prices,
    projectBudgets: () => served().config.budgets,
    hasUsers: () => served().gate.policy.mode !== 'none',
    enter,
    release,
    hold: () => {
      const { registry, hold } = current()
      return { registry, release: hold() }
    },
  })
  const searchIndex = new SearchIndex({ store, flushLogs: () => logs.flush(), logger, clock })
  return {
    store,
    engine,
    links,
    searchIndex,
    search: new SearchQueries({ store, index: searchIndex, clock }),
    logs: new LogQueries(store.logs, logs),
    storage: storageKind(url),
    telemetryStorage: storageKind(observability.store ?? url),
    pruneTelemetry: (rule) => pruneTelemetry({ store, clock: systemClock, clockCheck, logger, rule }),
  }
}

function logHealth(logger: Logger, problem: AppError | undefined): void {
  if (problem) logger.error({ err: problem.cause }, `${problem.message}. ${problem.hint ?? ''}`.trim())
  else logger.info('The database can be used again')
}
