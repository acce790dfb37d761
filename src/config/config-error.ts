import { codeFrame } from './loader/errors/code-frame.ts'
import { LoadError } from './loader/errors/load-error.ts'
import { locateOption } from './locate-option.ts'

/** A problem in a configuration. */
export interface ConfigProblem {
  /** The path to the option. */
  readonly path: readonly PropertyKey[]
  /** What is invalid and what is expected. */
  readonly text: string
}

export interface ConfigPlace {
  /** The file name in the message. */
  readonly file: string
  /** The file's text, if there is a file. */
  readonly source: string | undefined
}

/** The error for an invalid configuration. It points to the first problem that is found in the file's text. */
export function configError(problems: readonly ConfigProblem[], { file, source }: ConfigPlace): LoadError {
  const texts = problems.map(({ text }) => text)
  const list = texts.length === 1 ? texts.join('') : texts.map((text) => `\n  - ${text}`).join('')
  const options = { name: 'ConfigError', message: `Invalid configuration: ${list}`, file }
  if (source === undefined) return new LoadError(options)
  const position = problems.map(({ path }) => locateOption(source, path)).find((place) => place !== undefined)
  if (position === undefined) return new LoadError(options)
  return new LoadError({ ...options, position, frame: codeFrame(source, position) })
}
