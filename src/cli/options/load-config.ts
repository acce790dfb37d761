import type { AcceptedConfig } from '../../config/accept-config.ts'
import { findProject } from '../../config/project.ts'
import type { Project } from '../../config/project.ts'
import { loadProject } from '../../server/project/load-project.ts'
import type { CommandCall, CommonOptions } from '../command.ts'
import { findTarget } from '../connect/find-server.ts'
import { isProduction } from '../../server/is-production.ts'

type Mode = 'development' | 'production'

/**
 * Resolves the mode, which selects `.env.<mode>`. Sets NODE_ENV to the command's default if it is unset, so that the
 * project's code sees the same mode.
 */
export function resolveMode(env: NodeJS.ProcessEnv, defaultMode: Mode): Mode {
  if ((env['NODE_ENV'] ?? '').trim() === '') env['NODE_ENV'] = defaultMode
  return isProduction(env) ? 'production' : 'development'
}

/**
 * The directory of the project that the command works on.
 *
 * @throws AppError `invalid_config` if no project is found.
 */
export async function projectRoot({ config }: CommonOptions): Promise<string> {
  const target = await findTarget(process.cwd(), config)
  return target.kind === 'server' ? target.info.root : target.project.root
}

interface FoundConfig {
  readonly project: Project
  readonly config: AcceptedConfig['config']
}

/**
 * Loads the configuration of the project as `start` does, for a command that needs no server. It is closed with the command.
 *
 * @throws LoadError when it can't be loaded.
 */
export async function loadConfig({
  options,
  terminal,
  lifetime,
}: Pick<CommandCall, 'options' | 'terminal' | 'lifetime'>): Promise<FoundConfig> {
  const project = findProject({ cwd: process.cwd(), config: options.config })
  const mode = resolveMode(process.env, 'production')
  const loaded = await loadProject({ project, mode, onHint: (text) => terminal.note(text) })
  lifetime.defer(() => loaded.close())
  return { project, config: loaded.generation.value.config }
}
