import path from 'node:path'
import type { Hono } from 'hono'
import type { Gate } from '../auth/gate.ts'
import type { TrustedOrigins } from '../auth/origin-rules.ts'
import type { ServerConfig } from '../config/config.ts'
import type { LoadedEvent } from '../config/live/load-event.ts'
import { formatLoadError } from '../config/loader/errors/format-load-error.ts'
import type { LoadFailure } from '../contract/load-failure.ts'
import type { Engine } from '../engine/engine.ts'
import { createApp } from '../http/app.ts'
import type { ServedGeneration, Services } from '../http/services.ts'
import { customRoutes } from '../http/user-app.ts'
import { systemClock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { uuidV7Generator } from '../lib/ids.ts'
import type { RouteTarget } from '../contract/route-pattern.ts'
import { VERSION } from '../lib/packages/version.ts'
import { isConnectedMcpServer } from '../mcp/connected/connected-server.ts'
import { McpConnections } from '../mcp/connected/connections.ts'
import { ListChanges } from '../mcp/served/sessions/list-changes.ts'
import { isServedMcpServer } from '../mcp/served/served-server.ts'
import type { SocketRoutes } from '../ws/socket-routes.ts'
import { Upgrades } from '../ws/upgrades.ts'
import type { HandshakeRules } from '../ws/handshake.ts'
import { createEngine } from './create-engine.ts'
import { LiveChannels } from '../ws/live-channels.ts'
import type { LiveServerOptions } from './live-server-options.ts'
import { configSecrets } from './config-secrets.ts'
import { prepareConfig } from './prepare-config.ts'
import type { PreparedConfig } from './prepare-config.ts'
import { filesOf, handedOver } from './config-origin.ts'
import { createMetrics } from './create-metrics.ts'
import type { ConfigOrigin } from './config-origin.ts'
import { ChangeHistory } from './change-history.ts'
import { configFailed, configLoaded, declaredIn } from './config-changes.ts'
import { keepTelemetry } from '../observability/keep-telemetry.ts'
import { LogQueries } from '../observability/logs/log-queries.ts'
import { Traces } from './traces.ts'
import type { ServerMetrics } from '../observability/metrics/server-metrics.ts'
import { openStore, storageKind } from '../store/open.ts'
import type { Store } from '../store/store.ts'

/** What stays while configurations come and go. */
interface Opened {
  readonly store: Store
  readonly engine: Engine
  readonly logs: LogQueries
}

const STOP_GRACE_MS = 8000
const SOCKET_GRACE_MS = 1000
const EXPORT_GRACE_MS = 1500
/** Sending spans has what is left of this. */
const STOP_MS = 9300

/**
 * The server, whatever configuration it serves at the moment. The database and the engine stay while
 * configurations come and go.
 */
export class LiveServer {
  readonly app: Hono
  readonly upgrades: Upgrades
  readonly #options: LiveServerOptions
  readonly #openStreams = new Set<AbortController>()
  #opened: Opened | undefined
  #served: ServedGeneration | undefined
  #sockets: SocketRoutes = () => undefined
  #failure: LoadFailure | undefined
  readonly #operatorRequests = new WeakSet<Request>()
  #stopping = false
  #stopPruning: () => void = () => undefined
  readonly #mcp: McpConnections
  readonly #traces: Traces
  readonly #mcpChanges = new ListChanges()
  readonly #metrics: ServerMetrics
  readonly #channels: LiveChannels
  readonly #changes = new ChangeHistory((change) => this.#channels.topics.config(change))

  constructor(options: LiveServerOptions) {
    const { logs, production } = options
    const { logger } = logs
    this.#options = options
    this.#traces = new Traces({ logger, production, redactor: logs.redactor })
    this.#mcp = new McpConnections({ root: options.root, logger })
    this.#metrics = createMetrics({
      logs,
      traces: this.#traces,
      engine: () => this.#opened?.engine,
      sockets: () => this.upgrades.count,
      streams: () => this.#openStreams.size,
    })
    const services: Services = {
      current: () => this.#current(),
      trustedOrigins: () => this.#trustedOrigins(),
      authenticated: () => this.#served !== undefined && this.#served.gate.policy.mode !== 'none',
      ready: () => this.#served !== undefined && !this.#stopping,
      loadFailure: () => this.#failure,
      consoleOn: () => this.#served?.config.console ?? true,
      isOperator: (request) => this.#operatorRequests.has(request),
      trace: () => this.#traces.scope,
      traces: this.#traces,
      metrics: this.#metrics,
      keysWritten: (names) => {
        options.applyEnv?.(names)
        this.#traces.export.refresh()
      },
      production: options.production,
      root: options.root,
      project: options.project,
      configChanges: () => this.#changes.list(),
      logger,
      logFeed: logs.feed,
      clock: systemClock,
      newId: uuidV7Generator(),
      version: VERSION,
      mcpChanges: this.#mcpChanges,
      openStreams: this.#openStreams,
    }
    this.app = createApp(services)
    this.#channels = new LiveChannels({
      generation: () => this.#served?.load.generation ?? 0,
      executions: () => this.#current().engine.feed,
      logs: options.logs.feed,
      spans: this.#traces.feed,
      clock: systemClock,
    })
    this.upgrades = new Upgrades({
      rules: () => this.#handshakeRules(),
      logger,
      newId: services.newId,
    })
  }

  /** The gate of the configuration in service. */
  get gate(): Gate | undefined {
    return this.#served?.gate
  }

  /** The configuration in service. */
  get config(): ServerConfig | undefined {
    return this.#served?.config
  }

  /** The user's own routes. */
  get customRoutes(): readonly RouteTarget[] {
    return customRoutes(this.#served?.userApp)
  }

  /**
   * Answers whoever runs this process: every route is open. Nothing in a request can say so; it is this very
   * object that is trusted, and no request from a network ever comes this way.
   */
  async operator(request: Request): Promise<Response> {
    this.#operatorRequests.add(request)
    return this.app.fetch(request)
  }

  /** How the configuration in service came to be. */
  get load(): LoadedEvent | undefined {
    return this.#served?.load
  }

  /**
   * Puts a configuration into service. Executions that run go on with the one they started with.
   *
   * @throws AppError when its routes clash with ours or its database can't be opened; nothing has changed then.
   */
  async serve(config: ServerConfig, origin: ConfigOrigin = handedOver()): Promise<void> {
    await this.put(await this.prepare(config), origin)
  }

  /**
   * Sets up the configuration's routes and workflows, beside what is in service.
   *
   * @throws AppError when its routes clash with ours, and what the user's own code throws.
   */
  async prepare(config: ServerConfig): Promise<PreparedConfig> {
    const { production, logs } = this.#options
    const inService = this.#served ? configSecrets(this.#served.config) : []
    logs.secrets.hold([...configSecrets(config), ...inService])
    const prepared = await prepareConfig(config, production)
    await this.#traces.prepare(config.observability)
    return prepared
  }

  /**
   * Puts a prepared configuration into service at once. Fulfils when waiting executions were taken up.
   *
   * @throws AppError when the database can't be opened; nothing has changed then.
   */
  async put(prepared: PreparedConfig, { generation, event }: ConfigOrigin): Promise<void> {
    const first = this.#opened === undefined
    const { store, engine, logs } = (this.#opened ??= this.#open(prepared.config))
    const { readOnly = false, recover = true } = this.#options
    this.#traces.use(prepared.config.observability, { store, readOnly })
    const storage = this.#served?.storage ?? storageKind(prepared.config.database)
    this.#sockets = prepared.sockets
    const connected = prepared.config.mcpServers.filter(isConnectedMcpServer)
    this.#mcp.setServers(connected, { open: this.#options.recover ?? true })
    const before = this.#served ? declaredIn(this.#served.registry) : new Map<string, string>()
    this.#served = {
      ...prepared,
      engine,
      logs,
      storage,
      files: filesOf(generation, this.#options.root),
      load: event,
      hold: () => generation.use(),
    }
    this.#failure = undefined
    this.#mcpChanges.setServers(prepared.config.mcpServers.filter(isServedMcpServer))
    this.#changes.add(configLoaded(event, before, declaredIn(prepared.registry)))
    if (first) await this.#keepLogs(store)
    if (readOnly || !recover) return
    if (first) this.#keepTelemetry(store)
    if (first) await this.#traces.recover()
    if (first) await engine.start()
    else await engine.recover()
  }

  /** Tells callers why the newest configuration is not in service. What was in service stays. */
  loadFailed(failure: LoadFailure): void {
    const message = failure.message.replaceAll(`${this.#options.root}${path.sep}`, '')
    this.#failure = { ...failure, message }
    const { generation } = this.#served?.load ?? { generation: 0 }
    this.#changes.add(configFailed(this.#failure, generation))
  }

  /** Ends streams, lets executions come to a step boundary, and closes the database. */
  async stop(): Promise<void> {
    if (this.#stopping) return
    this.#stopping = true
    const began = performance.now()
    this.#stopPruning()
    await this.#opened?.engine.stop(STOP_GRACE_MS)
    for (const stream of this.#openStreams) stream.abort()
    await Promise.all([this.upgrades.close(SOCKET_GRACE_MS), this.#mcp.close()])
    await this.#traces.close(Math.min(EXPORT_GRACE_MS, STOP_MS - (performance.now() - began)))
    await this.#options.logs.close()
    await this.#opened?.store.close()
  }

  #open(config: ServerConfig): Opened {
    const { root, readOnly = false, logs, production } = this.#options
    const { database: url, durability } = config
    const store = openStore({ url, root, durability, readOnly })
    const engine = createEngine(config, {
      store,
      root,
      production,
      logs,
      meter: this.#metrics,
      trace: () => this.#traces.scope,
      served: () => this.#current(),
    })
    return { store, engine, logs: new LogQueries(store.logs, logs) }
  }

  #keepTelemetry(store: Store): void {
    this.#stopPruning = keepTelemetry({
      store,
      clock: systemClock,
      logger: this.#options.logs.logger,
      rule: () => this.#current().config.retention.telemetry,
    })
  }

  async #keepLogs(store: Store): Promise<void> {
    const { readOnly = false, logs } = this.#options
    await (readOnly ? logs.close() : logs.storeIn(store.logs))
  }

  #trustedOrigins(): TrustedOrigins {
    const { allowedHosts = [], cors } = this.#served?.config ?? {}
    return { allowedHosts, origins: cors?.origins ?? [] }
  }

  #handshakeRules(): HandshakeRules {
    const { gate } = this.#current()
    const trusted = this.#trustedOrigins()
    const routes: SocketRoutes = (path, request) =>
      this.#channels.routes(path, request) ?? this.#sockets(path, request)
    return { gate, trusted, routes, production: this.#options.production }
  }

  /** In development with what is wrong: nobody but this machine's own pages and programs gets to read it. */
  #whyNotServed(): string {
    const told =
      this.#failure && !this.#options.production ? formatLoadError(this.#failure, { colors: false }) : ''
    return `The configuration has not loaded yet${told === '' ? '' : `\n${told}`}`
  }

  #current(): ServedGeneration {
    if (this.#stopping) throw new AppError('unavailable', 'The server is shutting down')
    if (!this.#served) throw new AppError('unavailable', this.#whyNotServed())
    return this.#served
  }
}
