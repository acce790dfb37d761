import fs from 'node:fs'
import path from 'node:path'
import { AppError } from '../lib/errors.ts'
import { similarFile } from '../lib/files/similar-file.ts'

/** A project's location. */
export interface Project {
  /** The directory of the config file, absolute, without symbolic links. */
  readonly root: string
  /** Absolute, without symbolic links. */
  readonly configFile: string
}

/** Names of config files, in order of precedence. */
export const CONFIG_FILE_NAMES = ['ts', 'mts', 'js', 'mjs', 'cts', 'cjs'].map(
  (extension) => `agentserver.config.${extension}`,
)

export interface FindProjectOptions {
  readonly cwd: string
  /** A config file, or a directory that contains one. Relative to `cwd`. */
  readonly config?: string | undefined
  /** How a config file is passed, for the hint. Default: `--config <path>`. */
  readonly passedBy?: string | undefined
}

/** Finds the config file. Throws `invalid_config` if there is none. */
export function findProject({ cwd, config, passedBy }: FindProjectOptions): Project {
  const start = path.resolve(cwd, config ?? '.')
  const found = isFile(start) ? start : configFileIn(start)
  if (found === undefined) throw notFound(start, { config, passedBy })
  const configFile = fs.realpathSync(found)
  return { root: path.dirname(configFile), configFile }
}

function configFileIn(directory: string): string | undefined {
  return CONFIG_FILE_NAMES.map((name) => path.join(directory, name)).find(isFile)
}

function isFile(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
}

function notFound(
  start: string,
  { config, passedBy = '--config <path>' }: Pick<FindProjectOptions, 'config' | 'passedBy'>,
): AppError {
  const message =
    config === undefined ? `No agentserver.config.ts found in ${start}` : `Config file not found: ${start}`
  const similar = config === undefined ? undefined : similarFile(start)
  const hint =
    similar === undefined
      ? `Create a project with \`agentserver init\`, or pass the config file with \`${passedBy}\`.`
      : `Did you mean "${similar}"?`
  return new AppError('invalid_config', message, { hint })
}
