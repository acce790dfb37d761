import { acceptConfig } from '../../config/accept-config.ts'
import type { AcceptedConfig } from '../../config/accept-config.ts'
import { resolveConfig } from '../../config/config.ts'
import { startLiveConfig } from '../../config/live/live-config.ts'
import type { LiveConfig } from '../../config/live/live-config.ts'
import type { LoadedEvent, LoadFailedEvent } from '../../config/live/load-event.ts'
import type { Generation } from '../../config/loader/generation.ts'
import { LoadError } from '../../config/loader/errors/load-error.ts'
import type { Project } from '../../config/project.ts'
import type { WorkflowFit } from '../../engine/executions/check-open.ts'
import type { Registry } from '../../engine/registry.ts'
import { messageOf } from '../../lib/errors.ts'
import type { LiveServer } from '../live-server.ts'
import type { PreparedConfig } from '../prepare-config.ts'
import { OWN_MODULES } from './own-modules.ts'

/** Settings that take effect only when the server starts. */
export type StartSetting = 'database' | 'host' | 'port'

/** Receives the events of a served project. */
export interface ProjectReporter {
  /** A newer configuration is in service. Not called for the first one. */
  reloaded(event: LoadedEvent): void
  /** Suspended executions do not fit the newer configuration, and fitted the one before. */
  noLongerFitting(found: readonly WorkflowFit[]): void
  /** The files could not be loaded; `event.generation` stays in service. */
  loadFailed(event: LoadFailedEvent): void
  /** The files were loaded, but the server could not use the configuration; the previous one stays in service. */
  rejected(error: unknown): void
  /** These settings changed and take effect after a restart. */
  restartRequired(settings: readonly StartSetting[]): void
  /** Advice or a warning, one line. */
  hint(text: string): void
}

export interface ProjectServerOptions {
  readonly project: Project
  readonly server: LiveServer
  /** Names `.env.<mode>`: `development`, `production`. */
  readonly mode: string
  readonly reporter: ProjectReporter
  /** Whether something other than the configuration sets the host or the port. */
  readonly isOverridden: (setting: 'host' | 'port') => boolean
  /** Polling interval in milliseconds, for file systems without change events. */
  readonly poll: number | undefined
}

/** Suspended executions of a workflow that are compared with its code after a reload. */
export const MAX_COMPARED_AT_RELOAD = 200

interface Prepared extends PreparedConfig, AcceptedConfig {}

/** Serves the newest configuration of a project that loads, and reports the outcome of each load. */
export class ProjectServer {
  readonly #options: ProjectServerOptions
  /** The first configuration in service: its database stays open until the server stops. */
  #first: Prepared | undefined
  /** Where the server listens: from the first load, or the defaults if that failed. */
  #address: AcceptedConfig | undefined
  /** Why the first configuration could not be put into service. */
  #startError: unknown
  #live: LiveConfig<Prepared> | undefined
  #started = false
  #putting: Promise<void> = Promise.resolve()
  #isComparing = false
  /** The code before the reloads that no comparison has begun for. */
  #uncompared: Registry | undefined

  constructor(options: ProjectServerOptions) {
    this.#options = options
  }

  /**
   * Loads the project and watches its files. Resolves when the first load is in service or has failed, with the
   * configuration that contains port and host.
   *
   * @throws AppError when the server can't use the first configuration, for example because its database is in
   * use.
   */
  async start(): Promise<AcceptedConfig> {
    const { project, server, mode, reporter, poll } = this.#options
    this.#live = await startLiveConfig<Prepared>({
      project,
      mode,
      alias: OWN_MODULES,
      accept: async (namespace) => {
        const accepted = acceptConfig(namespace, project)
        return { ...accepted, ...(await server.prepare(accepted.config)) }
      },
      onLoaded: (event, generation) => {
        const put = this.#put(event, generation)
        this.#putting = this.#putting.then(() => put)
      },
      onError: (event) => {
        server.loadFailed(event.error.toJSON())
        reporter.loadFailed({ ...event, generation: server.load?.generation ?? 0 })
      },
      onHint: (text) => reporter.hint(text),
      ...(poll !== undefined && { poll }),
    })
    await this.#putting
    this.#started = true
    if (this.#startError !== undefined) throw this.#startError
    this.#address = this.#first ?? {
      config: resolveConfig({}, 'the defaults'),
      port: undefined,
      ignoredDatabaseUrl: undefined,
    }
    return this.#address
  }

  /** Resolves when changes of files are noticed. */
  async watching(): Promise<void> {
    await this.#live?.watching()
  }

  /** Runs every file of the project again. Resolves when the outcome was reported. */
  async reloadAll(): Promise<void> {
    await this.#live?.reloadAll()
    await this.#putting
  }

  /** Stops watching and runs the project's dispose callbacks. The LiveServer is stopped by its owner. */
  async close(): Promise<void> {
    await this.#live?.close()
  }

  async #put(event: LoadedEvent, generation: Generation<Prepared>): Promise<void> {
    const { server, reporter } = this.#options
    const before = server.registry
    try {
      await server.put(generation.value, { generation, event })
    } catch (error) {
      if (this.#started) this.#reject(error)
      else this.#startError = error
      return
    }
    if (this.#started) {
      reporter.reloaded(event)
      this.#uncompared ??= before
      void this.#compare()
    }
    this.#reportRestart(generation.value)
  }

  /** One comparison at a time: the reloads during it share the next one. */
  async #compare(): Promise<void> {
    const { server, reporter } = this.#options
    if (this.#isComparing) return
    this.#isComparing = true
    try {
      while (this.#uncompared) {
        const before = this.#uncompared
        this.#uncompared = undefined
        const found = await server.noLongerFitting(before, MAX_COMPARED_AT_RELOAD)
        if (found && found.length > 0) reporter.noLongerFitting(found)
      }
    } finally {
      this.#isComparing = false
    }
  }

  #reject(error: unknown): void {
    const { server, reporter } = this.#options
    const name = error instanceof Error ? error.name : 'Error'
    server.loadFailed(new LoadError({ name, message: messageOf(error) }).toJSON())
    reporter.rejected(error)
  }

  #reportRestart(current: Prepared): void {
    const { reporter, isOverridden } = this.#options
    this.#first ??= current
    const { database } = this.#first.config
    const { host, port } = (this.#address ?? current).config
    const changed: StartSetting[] = []
    if (current.config.database !== database) changed.push('database')
    if (current.config.host !== host && !isOverridden('host')) changed.push('host')
    if (current.config.port !== port && !isOverridden('port')) changed.push('port')
    if (changed.length > 0) reporter.restartRequired(changed)
  }
}
