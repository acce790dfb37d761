import type { Hono } from 'hono'
import type { Logger } from 'pino'
import { accessPolicy } from '../auth/access-policy.ts'
import { Gate } from '../auth/gate.ts'
import type { ServerConfig } from '../config/config.ts'
import { Engine } from '../engine/engine.ts'
import { Registry } from '../engine/registry.ts'
import { createApp } from '../http/app.ts'
import type { Served, Services } from '../http/services.ts'
import { createUserApp } from '../http/user-app.ts'
import { systemClock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { uuidV7Generator } from '../lib/ids.ts'
import { VERSION } from '../lib/version.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'

export interface LiveServerOptions {
  /** The project's directory, absolute. */
  readonly root: string
  readonly production: boolean
  readonly logger: Logger
  /** Only look at the database, beside a process that may own it. */
  readonly readOnly?: boolean
  /** Take up what an earlier process left running, and delete what retention no longer covers. Default true. */
  readonly recover?: boolean
}

/** A configuration that passed everything that can fail before it is put into service. */
export interface PreparedConfig {
  readonly config: ServerConfig
  readonly registry: Registry
  readonly gate: Gate
  readonly userApp: Hono | undefined
}

/** Holds a generation of the user's code for as long as something runs on it. */
export interface GenerationHold {
  use(): () => void
}

const NO_HOLD: GenerationHold = { use: () => () => undefined }

const STOP_GRACE_MS = 8000

/**
 * The server, whatever configuration it serves at the moment. The database and the engine stay while
 * configurations come and go.
 */
export class LiveServer {
  readonly app: Hono
  readonly #options: LiveServerOptions
  readonly #openStreams = new Set<AbortController>()
  #store: Store | undefined
  #engine: Engine | undefined
  #served: Served | undefined
  #hold: GenerationHold = NO_HOLD
  #stopping = false

  constructor(options: LiveServerOptions) {
    this.#options = options
    const services: Services = {
      served: () => this.#current(),
      trustedOrigins: () => ({
        allowedHosts: this.#served?.config.allowedHosts ?? [],
        origins: this.#served?.config.cors.origins ?? [],
      }),
      authenticated: () => this.#served !== undefined && this.#served.gate.policy.mode !== 'none',
      ready: () => this.#served !== undefined && !this.#stopping,
      production: options.production,
      logger: options.logger,
      newId: uuidV7Generator(),
      version: VERSION,
      openStreams: this.#openStreams,
    }
    this.app = createApp(services)
  }

  /** The configuration in service. */
  get config(): ServerConfig | undefined {
    return this.#served?.config
  }

  /**
   * Puts a configuration into service. Executions that run go on with the one they started with.
   *
   * @throws AppError when its routes clash with ours or its database can't be opened; nothing has changed then.
   */
  async serve(config: ServerConfig, hold: GenerationHold = NO_HOLD): Promise<void> {
    await this.put(await this.prepare(config), hold)
  }

  /**
   * Sets up the configuration's routes and workflows, beside what is in service.
   *
   * @throws AppError when its routes clash with ours, and what the user's own code throws.
   */
  async prepare(config: ServerConfig): Promise<PreparedConfig> {
    const { production } = this.#options
    const policy = accessPolicy(config, production)
    const problems = policy.provider?.problems?.(production) ?? []
    if (problems.length > 0) throw new AppError('invalid_config', problems.join('; '))
    const gate = new Gate({ policy, production, consoleKey: process.env['SERVICE_CONSOLE_ACCESS_KEY'] })
    return { config, gate, registry: new Registry(config.workflows), userApp: await createUserApp(config) }
  }

  /**
   * Puts a prepared configuration into service at once. Fulfils when waiting executions were taken up.
   *
   * @throws AppError when the database can't be opened; nothing has changed then.
   */
  async put(prepared: PreparedConfig, hold: GenerationHold = NO_HOLD): Promise<void> {
    const first = this.#engine === undefined
    const engine = this.#engine ?? this.#open(prepared.config)
    this.#served = { ...prepared, engine }
    this.#hold = hold
    const { readOnly = false, recover = true } = this.#options
    if (readOnly || !recover) return
    if (first) await engine.start()
    else await engine.recover()
  }

  /** Ends streams, lets executions come to a step boundary, and closes the database. */
  async stop(): Promise<void> {
    if (this.#stopping) return
    this.#stopping = true
    await this.#engine?.stop(STOP_GRACE_MS)
    for (const stream of this.#openStreams) stream.abort()
    await this.#store?.close()
  }

  #open(config: ServerConfig): Engine {
    const { root, readOnly = false, logger, production } = this.#options
    const { database: url, durability, retention, limits } = config
    this.#store = openStore({ url, root, durability, readOnly })
    this.#engine = new Engine({
      store: this.#store,
      clock: systemClock,
      newId: uuidV7Generator(),
      logger,
      errors: { root, stacks: !production },
      retention: retention.executions,
      resultBytes: limits.resultBytes,
      registry: () => this.#current().registry,
      lease: () => ({ registry: this.#current().registry, release: this.#hold.use() }),
    })
    return this.#engine
  }

  #current(): Served {
    if (this.#stopping) throw new AppError('unavailable', 'The server is shutting down')
    if (!this.#served) throw new AppError('unavailable', 'The configuration has not loaded yet')
    return this.#served
  }
}
