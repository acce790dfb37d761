import type { Agent } from '../../agent/agent.ts'
import type { ModelRecorder } from '../../agent/answer/model-recorder.ts'
import type { AcceptedConfig } from '../../config/accept-config.ts'
import type { LoadedConfig } from '../../config/live/load-once.ts'
import type { ServerConfig } from '../../config/config.ts'
import { ownPersistedValues } from '../../config/persist.ts'
import type { ServerLogs } from '../../observability/logs/server-logs.ts'
import { usedAgents } from '../../workflow/used-agents.ts'
import { LiveServer } from '../live-server.ts'
import type { LiveServerOptions } from '../live-server-options.ts'
import { loadProject } from './load-project.ts'
import type { LoadProjectOptions } from './load-project.ts'

interface ScratchServerOptions {
  /** The project's directory, absolute. */
  readonly root: string
  /** Called once the variables of `.env` are set. */
  readonly openLogs: () => ServerLogs
  /** As in `LiveServerOptions`. The variables of `.env` are those of the other server. */
  readonly beside?: LiveServerOptions['beside']
}

/** Runs code of a project. */
type Enter = <T>(work: () => T) => T

interface LoadedProject {
  readonly loaded: LoadedConfig<AcceptedConfig>
  /** Set beside another server. */
  readonly server?: LiveServer
  readonly enter?: Enter
}

/** A configuration served inside this process on a database in memory, without its schedules, and without access rules. */
export class ScratchServer {
  readonly root: string
  readonly #config: ServerConfig
  readonly #options: ScratchServerOptions
  /** Set when the configuration was loaded from a project. */
  readonly #loaded: LoadedConfig<AcceptedConfig> | undefined
  /** Runs code of the project: beside another server, apart from what that has loaded. */
  readonly #enter: Enter
  #server: LiveServer | undefined

  constructor(config: ServerConfig, options: ScratchServerOptions, project?: LoadedProject) {
    this.root = options.root
    this.#config = config
    this.#options = options
    this.#loaded = project?.loaded
    this.#enter = project?.enter ?? ((work) => work())
    this.#server = project?.server
  }

  /**
   * Loads a project.
   *
   * @throws LoadError when the configuration can't be loaded.
   */
  static async load(
    options: LoadProjectOptions & Pick<ScratchServerOptions, 'openLogs' | 'beside'>,
  ): Promise<ScratchServer> {
    const { root } = options.project
    const served = (project: LoadedProject) =>
      new ScratchServer(project.loaded.generation.value.config, { ...options, root }, project)
    if (!options.beside) return served({ loaded: await loadProject(options) })
    // timers of the code, which start at the load, must not make their calls on the other server
    const server = liveServer({ ...options, root })
    const withOwnValues = ownPersistedValues()
    const enter: Enter = (work) => withOwnValues(() => server.scope.enter(work))
    try {
      const loaded = await enter(() => loadProject({ ...options, keepEnv: true }))
      return served({ loaded, server, enter })
    } catch (error) {
      await server.stop({ graceMs: 0 })
      throw error
    }
  }

  /** The files that the configuration was loaded from, absolute. */
  get files(): readonly string[] {
    return this.#loaded?.generation.files ?? []
  }

  /** The agents of the configuration: declared ones, those of steps, and sub-agents. */
  get agents(): readonly Agent[] {
    return usedAgents(this.#config)
  }

  /** Runs code of the project, such as the function that lists the cases of an eval. */
  enter<T>(work: () => T): T {
    return this.#enter(work)
  }

  /** Imports a file of a loaded project, absolute, with the modules of the configuration. Throws LoadError. */
  importFile(file: string): Promise<Readonly<Record<string, unknown>>> {
    const loaded = this.#loaded
    if (!loaded) throw new Error('The configuration was not loaded from a project')
    return this.#enter(() => loaded.generation.importFile(file))
  }

  /** Serves the configuration, and further agents. `modelRecorder` records what models answer, or answers in their place. */
  async serve(agents: readonly Agent[], modelRecorder?: ModelRecorder): Promise<void> {
    const config = this.#config
    const server = (this.#server ??= liveServer(this.#options, modelRecorder))
    const scratch: ServerConfig = {
      ...config,
      agents: [...config.agents, ...agents],
      schedules: [],
      database: ':memory:',
      // scorers read the traces of their cases
      observability: { ...config.observability, enabled: true, store: undefined },
    }
    await this.#enter(() => server.serve(scratch, this.#loaded))
  }

  /** Handles a request. The server must be serving. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const server = this.#server
    if (server === undefined) throw new Error('The server is not serving yet')
    return this.#enter(() => server.operator(request))
  }

  /** Stops what runs; `graceMs` limits how long steps have time to end. */
  async close(graceMs?: number): Promise<void> {
    await this.#enter(async () => {
      await this.#server?.stop({ graceMs })
      await this.#loaded?.close()
    })
  }
}

function liveServer(
  { root, openLogs, beside }: ScratchServerOptions,
  modelRecorder?: ModelRecorder,
): LiveServer {
  return new LiveServer({
    root,
    production: false,
    logs: openLogs(),
    abortStepsAtStop: true,
    runsSchedules: false,
    modelRecorder,
    ...(beside && { beside }),
  })
}
