import { positionAt } from './loader/code-frame.ts'
import { LoadError, loadErrorAt, projectRelative } from './loader/load-error.ts'
import { readSource } from './loader/seen-sources.ts'
import type { Project } from './project.ts'

export interface InvalidConfigOptions {
  readonly message: string
  /** Text of the config file to point at, such as the name of an option; its first occurrence is taken. */
  readonly near?: string
  readonly hint?: string
  readonly cause?: unknown
}

/** The error for a config that loaded but is not valid, to be thrown while it is accepted. */
export function invalidConfig(project: Project, { near, ...rest }: InvalidConfigOptions): LoadError {
  const { root, configFile: file } = project
  const options = { ...rest, name: 'ConfigError' }
  const source = readSource(file) ?? ''
  const offset = near === undefined ? -1 : source.indexOf(near)
  if (offset < 0) return new LoadError({ ...options, file: projectRelative(root, file) })
  return loadErrorAt({ root, file, source, position: positionAt(source, offset) }, options)
}
