import type { Hono } from 'hono'
import type { Logger } from 'pino'
import { windowHours } from '../agent/budgets/budget.ts'
import type { ModelSettings } from '../agent/models/model-choice.ts'
import { withSubAgents } from '../agent/tools/registered-tools.ts'
import { usesStep } from '../agent/tools/tool.ts'
import type { Tool } from '../agent/tools/tool.ts'
import { AuthFailures } from '../auth/auth-failures.ts'
import type { Gate } from '../auth/gate.ts'
import { StreamPermissions } from '../auth/stream-permissions.ts'
import { ServerScope } from '../calls/current-server.ts'
import type { ServerConfig } from '../config/config.ts'
import { ENDPOINTS } from '../contract/index.ts'
import { hostName, isLoopback } from '../lib/host-name.ts'
import type { LoadedEvent } from '../config/live/load-event.ts'
import type { LoadFailure } from '../contract/load-failure.ts'
import type { RouteTarget } from '../contract/route-pattern.ts'
import type { BudgetState } from '../engine/budgets/budget-states.ts'
import type { WorkflowFit } from '../engine/executions/check-open.ts'
import type { ExecutionFeed } from '../engine/executions/execution-feed.ts'
import type { Executions } from '../engine/executions/executions.ts'
import type { Registry } from '../engine/registry.ts'
import { serverCalls } from '../engine/server-calls.ts'
import { createApp } from '../http/app.ts'
import { callerAccess } from '../http/request/access.ts'
import type { Services } from '../http/services.ts'
import { customRoutes } from '../http/user-app.ts'
import { EventHub } from '../lib/async/event-hub.ts'
import { createDeferred } from '../lib/async/wake-up.ts'
import { systemClock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { isConnectedMcpServer } from '../mcp/connected/connected-server.ts'
import { McpConnections } from '../mcp/connected/connections.ts'
import { isServedMcpServer } from '../mcp/served/served-server.ts'
import { ListChanges } from '../mcp/served/sessions/list-changes.ts'
import type { UsedBudget } from '../observability/metrics/gauges.ts'
import { ServerMetrics } from '../observability/metrics/server-metrics.ts'
import type { HandshakeRules } from '../ws/handshake.ts'
import { LiveChannels } from '../ws/live-channels.ts'
import type { SocketRoutes } from '../ws/socket-routes.ts'
import { Upgrades } from '../ws/upgrades.ts'
import { unpricedNotices } from './budget-notices.ts'
import { CurrentGeneration, programLoad } from './current-generation.ts'
import type { ConfigLoad } from './current-generation.ts'
import { EvalRuns } from './evals/eval-runs.ts'
import type { LiveServerOptions } from './live-server-options.ts'
import { openEngine } from './open-engine.ts'
import type { OpenEngine } from './open-engine.ts'
import { configSecrets, prepareConfig } from './prepare-config.ts'
import type { PreparedConfig } from './prepare-config.ts'
import { Startup } from './startup.ts'
import { Traces } from './traces.ts'
import { ProjectToken } from '../auth/project-token.ts'
import { uuidV7Generator } from '../lib/ids.ts'
import { VERSION } from '../lib/packages/own-package.ts'

type FromOptions =
  | 'production'
  | 'projectToken'
  | 'pins'
  | 'root'
  | 'project'
  | 'logger'
  | 'redactor'
  | 'logFeed'
  | 'clock'
  | 'newId'
  | 'version'

/** What handlers need of the options of a server, which never change. */
function optionServices(options: LiveServerOptions): Pick<Services, FromOptions> {
  const { root, production, project, logs, pins, projectToken, clock = systemClock } = options
  return {
    production,
    projectToken: projectToken === undefined ? undefined : new ProjectToken(projectToken),
    pins,
    root,
    project,
    logger: logs.logger,
    redactor: logs.redactor,
    logFeed: logs.feed,
    clock,
    newId: uuidV7Generator(),
    version: VERSION,
  }
}

/** The time for running steps, sockets and the export. Together below 10 s, after which process managers send SIGKILL. */
const STOP_GRACE_MS = 8000
const SOCKET_GRACE_MS = 1000
const EXPORT_GRACE_MS = 1500
/** Maximum time to stop. The last trace export gets the remaining time. */
const STOP_MS = 9300

/** Serves a configuration and replaces it on reload. The database and the engine stay open across reloads. */
export class LiveServer {
  readonly app: Hono
  readonly upgrades: Upgrades
  readonly scope: ServerScope
  /** Whether the schedules of the configuration start executions here. */
  readonly runsSchedules: boolean
  readonly #options: LiveServerOptions
  readonly #current: CurrentGeneration
  readonly #openStreams = new Set<AbortController>()
  readonly #permissions = new StreamPermissions(() => this.gate)
  readonly #operatorRequests = new WeakSet<Request>()
  readonly #mcp: McpConnections
  readonly #mcpChanges = new ListChanges()
  readonly #traces: Traces
  readonly #metrics: ServerMetrics
  readonly #authFailures: AuthFailures
  readonly #channels: LiveChannels
  readonly #startup: Startup
  readonly #evals: EvalRuns
  /** Loads, and changes of pins. */
  readonly #projectChanges = new EventHub()
  readonly #notices: LoadNotices
  #sockets: SocketRoutes = () => undefined
  /** Resolves when it listens, if it does. */
  readonly #isOpen = createDeferred<void>()
  #configSecrets: readonly string[] = []
  #crashed = false
  #stopPruning: () => void = () => undefined
  #stopIndexing: () => Promise<void> = async () => undefined

  constructor(options: LiveServerOptions) {
    const { root, production, logs, clock = systemClock } = options
    const { logger } = logs
    this.#options = options
    this.runsSchedules = options.runsSchedules ?? true
    this.#startup = new Startup({
      open: (config) => this.#openEngine(config),
      start: (opened) => this.#start(opened),
      retry: options.recover ?? true,
      isStopping: () => this.#current.isStopping,
      logger,
    })
    this.#current = new CurrentGeneration({
      root,
      production,
      onChange: (change) => {
        this.#channels.topics.config(change)
        this.#projectChanges.publish('')
      },
    })
    const metrics = () => this.#metrics.read()
    const machine = () => this.#current.machine
    const traces = new Traces({ ...options, logger, metrics, machine, redactor: logs.redactor })
    this.#traces = traces
    this.scope = new ServerScope(
      serverCalls({
        engine: () => this.#current.get().engine,
        traceOf: traces.ofStarted,
        trace: traces.ofCall,
        logger,
      }),
    )
    this.#mcp = new McpConnections({
      root,
      logger,
      redact: logs.redactor.text,
      redirectUrl: () => loopbackUrl(this.url),
      onLogin: (serverId, link) => options.onMcpLogin?.(serverId, link),
      onSecrets: () => this.#redactSecrets(),
    })
    this.#metrics = new ServerMetrics({
      machine,
      running: () => this.#startup.opened?.engine.running ?? new Map<string, number>(),
      waiting: () => ({ logs: logs.waiting, spans: traces.waiting, export: traces.export.waiting }),
      dropped: () => ({ logs: logs.lost, spans: traces.dropped, export: traces.export.status.dropped }),
      searchLagMs: () => this.#startup.opened?.searchIndex.lagMs ?? 0,
      readBudgets: async () => usedBudgets((await this.#startup.opened?.engine.budgets.states()) ?? []),
      sockets: () => this.upgrades.count,
      streams: () => this.#openStreams.size,
    })
    this.#authFailures = new AuthFailures({ logger, count: (access) => this.#metrics.authFailure(access) })
    this.#notices = new LoadNotices(logger, { env: process.env, production })
    this.#evals = new EvalRuns({
      store: () => this.#startup.opened?.store ?? this.#current.get().store,
      tracesOn: () => traces.enabled,
      saved: options.savedEvals,
      clock,
      logs,
    })
    const services = this.#createServices()
    this.app = createApp(services)
    this.#channels = new LiveChannels({
      generation: () => this.load?.generation ?? 0,
      access: (admission) => callerAccess(services, admission),
      executions: () => this.#current.get().engine.feed,
      logs: logs.feed,
      spans: traces.feed,
      clock,
    })
    const { permissions, authFailures: failures, enter, newId } = services
    options.pins?.connect({
      current: () => this.#current.get(),
      publish: () => {
        this.#channels.topics.pins()
        this.#projectChanges.publish('')
      },
    })
    const rules = () => this.#handshakeRules()
    this.upgrades = new Upgrades({ rules, permissions, failures, enter, logger, newId })
  }

  /** Where it listens; set by whoever makes it listen. */
  url: string | undefined

  /** The gate of the configuration in service. */
  get gate(): Gate | undefined {
    return this.#current.find()?.gate
  }

  /** The configuration in service. */
  get config(): ServerConfig | undefined {
    return this.#current.find()?.config
  }

  /** The changes of executions; undefined until the database is open. */
  get executionFeed(): ExecutionFeed | undefined {
    return this.#startup.opened?.engine.feed
  }

  /** The routes of `configureApp`. */
  get customRoutes(): readonly RouteTarget[] {
    return customRoutes(this.#current.find()?.userApp)
  }

  /** The load that put the current configuration into service. */
  get load(): LoadedEvent | undefined {
    return this.#current.find()?.load
  }

  /**
   * Handles a request of this process's own user, such as the CLI, without credentials. The trust is in the identity of
   * the Request object, so a request from the network can't claim it.
   */
  async operator(request: Request): Promise<Response> {
    this.#operatorRequests.add(request)
    return this.app.fetch(request)
  }

  /**
   * Puts a configuration into service, and waits until the server has started. Running executions finish on the
   * configuration they started with.
   *
   * @throws AppError as `prepare`, `put` and `started`
   */
  async serve(config: ServerConfig, load: ConfigLoad = programLoad()): Promise<void> {
    await this.put(await this.prepare(config), load)
    await this.started()
  }

  /**
   * Prepares a configuration's routes and workflows. The current configuration stays in service.
   *
   * @throws AppError as `prepareConfig`
   */
  async prepare(config: ServerConfig): Promise<PreparedConfig> {
    const { production, projectToken } = this.#options
    const current = this.config ? configSecrets(this.config) : []
    this.#configSecrets = [
      ...configSecrets(config),
      ...current,
      ...(projectToken === undefined ? [] : [projectToken]),
    ]
    this.#redactSecrets()
    const prepared = await prepareConfig(config, production)
    await this.#traces.prepare(config.observability)
    return prepared
  }

  /**
   * Puts a prepared configuration into service. The first one begins the start of the server, which can listen before
   * that is done.
   *
   * @throws AppError when the database can't be opened; nothing has changed then.
   */
  async put(prepared: PreparedConfig, load: ConfigLoad): Promise<void> {
    const { readOnly = false, recover = true } = this.#options
    if (this.#current.isStopping) return
    const opened = await this.#startup.open(prepared.config)
    if (this.#current.isStopping) return
    const traces = this.#options.beside?.traces ?? opened.store.traces
    this.#traces.use(prepared.config.observability, { traces, readOnly })
    this.#sockets = prepared.sockets
    const { mcpServers } = prepared.config
    this.#mcp.setServers(mcpServers.filter(isConnectedMcpServer), { open: recover })
    this.#current.put({ ...prepared, ...opened }, load)
    this.#notices.update(prepared.config)
    if (!this.#options.beside) this.scope.begin()
    void this.#permissions.renew()
    this.#mcpChanges.setServers(mcpServers.filter(isServedMcpServer))
    if (this.#startup.isDone) {
      if (readOnly || !recover) return
      await opened.engine.recover()
      void opened.engine.executions.lookAgain()
    }
    // its failure is that of `started`
    else this.#startup.start(opened).catch(() => undefined)
  }

  /**
   * Resolves when what an earlier process left is being recovered, or, when the database can't be reached, before.
   *
   * @throws AppError when the engine can't be started
   */
  async started(): Promise<void> {
    const { opened } = this.#startup
    this.#isOpen.resolve()
    if (opened && !this.#current.isStopping) await this.#startup.start(opened)
  }

  /** How open executions fit the code, at most `most`, suspended ones first; `undefined` when they can't be read. */
  async checkOpen(most: number): Promise<readonly WorkflowFit[] | undefined> {
    return this.#reading((executions) => executions.checkOpen(most))
  }

  /** The suspended executions that fit the code of `before`, and don't fit that in service; of each workflow at most `limit`. */
  async noLongerFitting(before: Registry, limit: number): Promise<readonly WorkflowFit[] | undefined> {
    return this.#reading((executions) => executions.noLongerFitting(before, limit))
  }

  /** The workflows and agents in service. */
  get registry(): Registry | undefined {
    return this.#current.find()?.registry
  }

  /** What a notice is about must not fail what it is beside: the database may be away, or the server stop. */
  async #reading<T>(read: (executions: Executions) => Promise<T>): Promise<T | undefined> {
    const { opened, isDone } = this.#startup
    if (!opened || !isDone) return undefined
    return read(opened.engine.executions).catch((err: unknown) => {
      this.#options.logs.logger.debug({ err }, 'Open executions could not be compared with the code')
      return undefined
    })
  }

  /** Reports why the newest configuration failed to load. The one in service stays. */
  loadFailed(failure: LoadFailure): void {
    this.#current.fail(failure)
  }

  /** An uncaught error ends the process: what is running may be its cause. */
  fail(): void {
    this.#crashed = true
  }

  /** Ends streams, stops running executions at a step boundary or after `graceMs`, flushes telemetry and closes the database. */
  async stop({ graceMs = STOP_GRACE_MS }: { graceMs?: number | undefined } = {}): Promise<void> {
    if (this.#current.isStopping) return
    this.#current.stop()
    this.scope.end()
    const startedAt = performance.now()
    this.#stopPruning()
    await Promise.all([this.#evals.close(), this.#stopIndexing()])
    const opened = await this.#startup.settled()
    const abortSignals = this.#options.abortStepsAtStop
    await opened?.engine.stop({ graceMs, abortSignals, crashed: this.#crashed })
    for (const stream of this.#openStreams) stream.abort()
    await Promise.all([this.upgrades.close(SOCKET_GRACE_MS), this.#mcp.close()])
    this.#authFailures.close()
    await this.#startup.giveUp()
    await this.#traces.close(Math.min(EXPORT_GRACE_MS, STOP_MS - (performance.now() - startedAt)))
    await this.#options.logs.close()
    await opened?.store.close()
  }

  #redactSecrets(): void {
    this.#options.logs.secrets.setAdditional([...this.#configSecrets, ...this.#mcp.secrets])
  }

  #createServices(): Services {
    const current = this.#current
    return {
      ...optionServices(this.#options),
      current: () => current.get(),
      trustedOrigins: () => current.trustedOrigins,
      authenticated: () => (this.gate?.policy.mode ?? 'none') !== 'none',
      requireReady: () => this.#requireReady(),
      loadFailure: () => current.failure,
      consoleOn: () => this.config?.console ?? true,
      switchedOff: (option) => this.config?.[option] === false,
      userApp: () => current.find()?.userApp,
      isOperator: (request) => this.#operatorRequests.has(request),
      enter: this.scope.enter,
      trace: () => this.#traces.scope,
      traces: this.#traces,
      metrics: this.#metrics,
      keysWritten: (names) => {
        this.#options.applyEnv?.(names)
        this.#traces.refreshExports()
      },
      evals: this.#evals,
      configChanges: () => current.changes.list(),
      onProjectChange: (listener) => this.#projectChanges.subscribe('', listener),
      mcpChanges: this.#mcpChanges,
      authFailures: this.#authFailures,
      permissions: this.#permissions,
      openStreams: this.#openStreams,
    }
  }

  /** @throws AppError `unavailable` when nothing is served, the server stops, or its database can't be used. */
  #requireReady(): void {
    if (!this.#current.find() || this.#current.isStopping) throw new AppError('unavailable', 'Not ready')
    this.#startup.requireDone()
  }

  #openEngine(config: ServerConfig): Promise<OpenEngine> {
    return openEngine(config, {
      readOnly: false,
      migrate: true,
      ...this.#options,
      runsSchedules: this.runsSchedules,
      retry: this.#options.recover ?? true,
      meter: this.#metrics,
      trace: () => this.#traces.scope,
      enter: this.scope.enter,
      current: () => this.#current.get(),
      served: () => this.#current.find() ?? this.#current.get(),
      release: () => this.#current.release,
      localUrl: () => this.url ?? `http://localhost:${this.config?.port}`,
    })
  }

  async #start({ store, engine, searchIndex, pruneTelemetry }: OpenEngine): Promise<void> {
    const { readOnly = false, recover = true, logs } = this.#options
    await (readOnly ? logs.close() : logs.storeIn(store.logs))
    if (readOnly || !recover) return engine.follow()
    await this.#traces.recover()
    await engine.start()
    await this.#evals.start()
    this.#stopIndexing = searchIndex.start()
    // the port comes first
    void this.#isOpen.promise.then(() => engine.executions.lookAgain())
    // also while the server is stopping
    this.#stopPruning = pruneTelemetry(
      () => (this.#current.find() ?? this.#current.get()).config.retention.telemetry,
    )
  }

  #handshakeRules(): HandshakeRules {
    const { gate } = this.#current.get()
    const { trustedOrigins: trusted } = this.#current
    const routes: SocketRoutes = (path, request) =>
      this.#channels.routes(path, request) ?? this.#sockets(path, request)
    return { gate, trusted, routes, production: this.#options.production }
  }
}

/** Where browsers of this machine come back to after a login at an MCP server (RFC 8252, section 7.3). */
function loopbackUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  const own = new URL(ENDPOINTS.finishMcpLogin.path, url)
  const host = hostName(own.hostname)
  // it listens on all addresses
  if (host === '0.0.0.0' || host === '::') own.hostname = '127.0.0.1'
  return isLoopback(hostName(own.hostname)) ? own.href : undefined
}

/** Those with a window, as metrics name them. */
function usedBudgets(budgets: readonly BudgetState[]): UsedBudget[] {
  return budgets.flatMap(({ declaredOn, budget, ratio }) => {
    const hours = windowHours(budget)
    return hours === null ? [] : [{ declaredOn, per: budget.per, hours, ratio }]
  })
}

/** Logs what is allowed in a configuration, but most likely a mistake: each once. */
class LoadNotices {
  readonly #logger: Pick<Logger, 'warn'>
  readonly #settings: ModelSettings
  readonly #logged = new Set<string>()

  constructor(logger: Pick<Logger, 'warn'>, settings: ModelSettings) {
    this.#logger = logger
    this.#settings = settings
  }

  update(config: ServerConfig): void {
    for (const notice of [...unpricedNotices(config, this.#settings), ...unrecordedNotices(config)]) {
      if (this.#logged.has(notice)) continue
      this.#logged.add(notice)
      this.#logger.warn(notice)
    }
  }
}

/** Warnings for tools that make recorded calls in agents whose answers are not recorded. */
function unrecordedNotices({ agents }: ServerConfig): string[] {
  return agents
    .filter(({ resumable }) => resumable !== true)
    .flatMap((agent) =>
      withSubAgents([agent]).flatMap(({ tools }) =>
        tools
          .filter((tool) => usesStep(tool) && namesStep(tool))
          .map(
            ({ name }) =>
              `Agent "${agent.id}" has the tool "${name}", which uses step: that fails in answers that are not recorded. Set resumable: true of the agent, or in the options of requests`,
          ),
      ),
    )
}

/** In doubt a function uses the member, also if it does not name it. */
function namesStep({ execute }: Pick<Tool, 'execute'>): boolean {
  return /\bstep\b/.test(execute?.toString() ?? '')
}
