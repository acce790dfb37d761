import { acceptConfig } from '../../config/accept-config.ts'
import type { AcceptedConfig } from '../../config/accept-config.ts'
import { loadOnce } from '../../config/live/load-once.ts'
import type { LoadedConfig } from '../../config/live/load-once.ts'
import type { Project } from '../../config/project.ts'
import { OWN_MODULES } from './own-modules.ts'

export interface LoadProjectOptions {
  readonly project: Project
  /** Names `.env.<mode>`: `development`, `production`. */
  readonly mode: string
  /** As in `ConfigSource`. */
  readonly keepEnv?: boolean
  /** Receives advice and warnings, one line each. */
  readonly onHint?: (text: string) => void
}

/**
 * Loads a project's configuration once, without watching its files.
 *
 * @throws LoadError when it can't be loaded.
 */
export async function loadProject(options: LoadProjectOptions): Promise<LoadedConfig<AcceptedConfig>> {
  const { project } = options
  return loadOnce({ ...options, alias: OWN_MODULES, accept: (namespace) => acceptConfig(namespace, project) })
}
