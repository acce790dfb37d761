import path from 'node:path'
import { formatLoadError } from '../../config/loader/errors/format-load-error.ts'
import { LoadError } from '../../config/loader/errors/load-error.ts'
import type { Project } from '../../config/project.ts'
import { AppError } from '../../lib/errors.ts'
import type { AcceptedConfig } from '../../config/accept-config.ts'
import type { CommandCall } from '../command.ts'
import { loadProject } from '../../server/project/load-project.ts'
import type { Check } from './check.ts'
import { failure, ok } from './check.ts'

export interface LoadedProject {
  readonly check: Check
  /** Undefined if the configuration failed to load. */
  readonly accepted: AcceptedConfig | undefined
}

/** Loads the configuration. Variables from `.env` stay set until the command ends. */
export async function loadForCheck(
  project: Project,
  mode: string,
  { lifetime }: CommandCall,
): Promise<LoadedProject> {
  const file = path.basename(project.configFile)
  try {
    const loaded = await loadProject({ project, mode })
    lifetime.defer(() => loaded.close())
    const accepted = loaded.generation.value
    const { workflows, agents, tools } = accepted.config
    const counts = [count(workflows, 'workflow'), count(agents, 'agent'), count(tools, 'tool')].join(', ')
    return { check: ok('config', `${file} is valid: ${counts}`), accepted }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { check: configFailure(file, error), accepted: undefined }
  }
}

function configFailure(file: string, error: AppError): Check {
  const text = error instanceof LoadError ? formatLoadError(error.toJSON(), { colors: false }) : error.message
  return failure(
    'config',
    `${file} failed to load\n${text}`,
    error.hint ?? 'Fix the error. `agentserver dev` reloads when the file is saved.',
  )
}

function count(things: readonly unknown[], name: string): string {
  return `${things.length} ${name}${things.length === 1 ? '' : 's'}`
}
