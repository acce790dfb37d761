import type { AcceptedConfig } from '../../config/accept-config.ts'
import type { LoadedConfig } from '../../config/live/load-once.ts'
import type { ServerLogs } from '../../observability/logs/server-logs.ts'
import { LiveServer } from '../live-server.ts'
import { isProduction } from '../is-production.ts'
import { loadProject } from './load-project.ts'
import type { LoadProjectOptions } from './load-project.ts'

export interface InProcessServerOptions extends LoadProjectOptions {
  /** Called once the variables of `.env` are set. */
  readonly openLogs: () => ServerLogs
  /** Opens the database read-only, also while another process owns it. */
  readonly readOnly: boolean
  /** Allows every route without credentials, since the caller runs this process. */
  readonly operator: boolean
}

/** A project served inside this process, without a port. */
export class InProcessServer {
  readonly #options: InProcessServerOptions
  #loaded: LoadedConfig<AcceptedConfig> | undefined
  #server: LiveServer | undefined

  constructor(options: InProcessServerOptions) {
    this.#options = options
  }

  /**
   * Loads the project and opens its database.
   *
   * @throws LoadError when the configuration can't be loaded; AppError when the database can't be opened.
   */
  async start(): Promise<void> {
    const { project, openLogs, readOnly } = this.#options
    const loaded = await loadProject(this.#options)
    this.#loaded = loaded
    const production = isProduction(process.env)
    this.#server = new LiveServer({
      root: project.root,
      production,
      logs: openLogs(),
      readOnly,
      recover: false,
      migrate: false,
      abortStepsAtStop: true,
    })
    await this.#server.serve(loaded.generation.value.config, loaded)
  }

  /** Handles a request. The server must have been started. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const server = this.#server
    if (server === undefined) throw new Error('The server has not been started')
    return this.#options.operator ? server.operator(request) : server.app.fetch(request)
  }

  /** Stops what runs; `graceMs` limits how long steps have time to end. */
  async close(graceMs?: number): Promise<void> {
    await this.#server?.stop({ graceMs })
    await this.#loaded?.close()
  }
}
