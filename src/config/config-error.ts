import { codeFrame } from './loader/errors/code-frame.ts'
import { LoadError, loadErrorAt } from './loader/errors/load-error.ts'
import { readSource } from './loader/seen-sources.ts'
import { userPlace } from '../lib/files/short-paths.ts'
import { locateOption } from './locate-option.ts'

/** A problem in a configuration. */
export interface ConfigProblem {
  /** The path to the option. */
  readonly path: readonly PropertyKey[]
  /** What is invalid and what is expected. */
  readonly text: string
  /** Made where the invalid value was declared. */
  readonly declaredAt?: Error | undefined
}

export interface ConfigPlace {
  /** The project's directory, absolute, if there is one. */
  readonly root?: string | undefined
  /** The file name in the message. */
  readonly file: string
  /** The file's text, if there is a file. */
  readonly source: string | undefined
}

/**
 * The error for an invalid configuration. It points to the declaration of the first problem, else to the first problem
 * that is found in the file's text.
 */
export function configError(
  problems: readonly ConfigProblem[],
  { root, file, source }: ConfigPlace,
): LoadError {
  const texts = problems.map(({ text }) => text)
  const list = texts.length === 1 ? texts.join('') : texts.map((text) => `\n  - ${text}`).join('')
  const options = { name: 'ConfigError', message: `Invalid configuration: ${list}`, file }
  const declared = userPlace(problems[0]?.declaredAt?.stack)
  const text = declared && root !== undefined ? readSource(declared.file) : undefined
  if (declared && root !== undefined && text !== undefined)
    return loadErrorAt({ root, file: declared.file, source: text, position: declared }, options)
  if (source === undefined) return new LoadError(options)
  const position = problems.map(({ path }) => locateOption(source, path)).find((place) => place !== undefined)
  if (position === undefined) return new LoadError(options)
  return new LoadError({ ...options, position, frame: codeFrame(source, position) })
}
