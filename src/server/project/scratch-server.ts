import type { Agent } from '../../agent/agent.ts'
import type { ModelRecorder } from '../../agent/answer/model-recorder.ts'
import type { AcceptedConfig } from '../../config/accept-config.ts'
import type { LoadedConfig } from '../../config/live/load-once.ts'
import type { ServerConfig } from '../../config/config.ts'
import type { ServerLogs } from '../../observability/logs/server-logs.ts'
import { LiveServer } from '../live-server.ts'
import { loadProject } from './load-project.ts'
import type { LoadProjectOptions } from './load-project.ts'

interface ScratchServerOptions {
  /** The project's directory, absolute. */
  readonly root: string
  /** Called once the variables of `.env` are set. */
  readonly openLogs: () => ServerLogs
}

/** A configuration served inside this process on a database in memory, without its schedules, and without access rules. */
export class ScratchServer {
  readonly root: string
  readonly #config: ServerConfig
  readonly #options: ScratchServerOptions
  /** Set when the configuration was loaded from a project. */
  readonly #loaded: LoadedConfig<AcceptedConfig> | undefined
  #server: LiveServer | undefined

  constructor(config: ServerConfig, options: ScratchServerOptions, loaded?: LoadedConfig<AcceptedConfig>) {
    this.root = options.root
    this.#config = config
    this.#options = options
    this.#loaded = loaded
  }

  /**
   * Loads a project.
   *
   * @throws LoadError when the configuration can't be loaded.
   */
  static async load(
    options: LoadProjectOptions & Pick<ScratchServerOptions, 'openLogs'>,
  ): Promise<ScratchServer> {
    const loaded = await loadProject(options)
    const { root } = options.project
    return new ScratchServer(loaded.generation.value.config, { ...options, root }, loaded)
  }

  /** Imports a file of a loaded project, absolute, with the modules of the configuration. Throws LoadError. */
  importFile(file: string): Promise<Readonly<Record<string, unknown>>> {
    if (!this.#loaded) throw new Error('The configuration was not loaded from a project')
    return this.#loaded.generation.importFile(file)
  }

  /** Serves the configuration, and further agents. `modelRecorder` records what models answer, or answers in their place. */
  async serve(agents: readonly Agent[], modelRecorder?: ModelRecorder): Promise<void> {
    const config = this.#config
    const logs = this.#options.openLogs()
    this.#server = new LiveServer({
      root: this.root,
      production: false,
      logs,
      abortStepsAtStop: true,
      runsSchedules: false,
      modelRecorder,
    })
    const scratch: ServerConfig = {
      ...config,
      agents: [...config.agents, ...agents],
      schedules: [],
      database: ':memory:',
      // scorers read the traces of their cases
      observability: { ...config.observability, enabled: true, store: undefined },
    }
    await this.#server.serve(scratch, this.#loaded)
  }

  /** Handles a request. The server must be serving. */
  readonly fetch = async (request: Request): Promise<Response> => {
    if (this.#server === undefined) throw new Error('The server is not serving yet')
    return this.#server.operator(request)
  }

  /** Stops what runs; `graceMs` limits how long steps have time to end. */
  async close(graceMs?: number): Promise<void> {
    await this.#server?.stop({ graceMs })
    await this.#loaded?.close()
  }
}
