import type { AcceptedConfig } from '../../config/accept-config.ts'
import { findProject } from '../../config/project.ts'
import type { Project } from '../../config/project.ts'
import { loadProject } from '../../server/project/load-project.ts'
import type { CommandCall } from '../command.ts'
import { resolveMode } from './resolve-mode.ts'

export interface FoundConfig {
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
