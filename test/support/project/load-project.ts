import { loadOnce } from '../../../src/config/live/load-once.ts'
import type { LoadedConfig } from '../../../src/config/live/load-once.ts'
import { LoadError } from '../../../src/config/loader/errors/load-error.ts'
import type { ModuleNamespace } from '../../../src/config/loader/namespace.ts'
import { findProject } from '../../../src/config/project.ts'
import { TempProject } from './temp-project.ts'

/** Writes a project whose config file is `config`, loads it once and returns its exports. */
export async function loadProject<T>(
  { config, files = {}, alias = {} }: ProjectFiles,
  look: (exports: Record<string, any>, project: TempProject) => T | Promise<T>,
): Promise<T> {
  const project = new TempProject({ 'agentserver.config.ts': config, ...files })
  try {
    const loaded = await load(project, alias)
    try {
      return await look(loaded.generation.value, project)
    } finally {
      await loaded.close()
    }
  } finally {
    project.remove()
  }
}

/** The error of loading the project. */
export async function failureOf({ config, files = {}, alias = {} }: ProjectFiles): Promise<LoadError> {
  const project = new TempProject({ 'agentserver.config.ts': config, ...files })
  try {
    const loaded = await load(project, alias)
    await loaded.close()
  } catch (error) {
    if (error instanceof LoadError) return error
    throw error
  } finally {
    project.remove()
  }
  throw new Error('The project loaded')
}

interface ProjectFiles {
  readonly config: string
  readonly files?: Readonly<Record<string, string>>
  readonly alias?: Readonly<Record<string, string>>
}

function load(
  project: TempProject,
  alias: Readonly<Record<string, string>>,
): Promise<LoadedConfig<ModuleNamespace>> {
  const found = findProject({ cwd: project.root })
  return loadOnce({ project: found, mode: 'test', alias, accept: (exports) => exports })
}
