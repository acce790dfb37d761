import type { Agent } from '../../agent/agent.ts'
import type { ModelRecorder } from '../../agent/answer/model-recorder.ts'
import type { AcceptedConfig } from '../../config/accept-config.ts'
import type { LoadedConfig } from '../../config/live/load-once.ts'
import type { ServerConfig } from '../../config/config.ts'
import type { ServerLogs } from '../../observability/logs/server-logs.ts'
import { LiveServer } from '../live-server.ts'
import { loadProject } from './load-project.ts'
import type { LoadProjectOptions } from './load-project.ts'

export interface ScratchServerOptions extends LoadProjectOptions {
  /** Called once the variables of `.env` are set. */
  readonly openLogs: () => ServerLogs
}

/** A project served inside this process on a database in memory, without its schedules, and without access rules. */
export class ScratchServer {
  readonly #options: ScratchServerOptions
  readonly #loaded: LoadedConfig<AcceptedConfig>
  #server: LiveServer | undefined

  private constructor(options: ScratchServerOptions, loaded: LoadedConfig<AcceptedConfig>) {
    this.#options = options
    this.#loaded = loaded
  }

  /**
   * Loads a project.
   *
   * @throws LoadError when the configuration can't be loaded.
   */
  static async load(options: ScratchServerOptions): Promise<ScratchServer> {
    return new ScratchServer(options, await loadProject(options))
  }

  /** Imports a file of the project, absolute, with the modules of the configuration. Throws LoadError. */
  importFile(file: string): Promise<Readonly<Record<string, unknown>>> {
    return this.#loaded.generation.importFile(file)
  }

  /** Serves the configuration, and further agents. `modelRecorder` records what models answer, or answers in their place. */
  async serve(agents: readonly Agent[], modelRecorder?: ModelRecorder): Promise<void> {
    const { project, openLogs } = this.#options
    const { config } = this.#loaded.generation.value
    const logs = openLogs()
    this.#server = new LiveServer({
      root: project.root,
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
    await this.#loaded.close()
  }
}
