import { codeFrame } from './loader/errors/code-frame.ts'
import { LoadError } from './loader/errors/load-error.ts'
import { locateOption } from './locate-option.ts'

/** A rule that a configuration breaks. */
export interface ConfigProblem {
  /** The way to the option. */
  readonly path: readonly PropertyKey[]
  /** What is wrong with it and what was expected. */
  readonly text: string
}

export interface ConfigPlace {
  /** As shown. */
  readonly file: string
  /** The file's text, where there is a file. */
  readonly source: string | undefined
}

/** The error for a configuration that breaks rules. It points at the first problem that the text shows. */
export function configError(problems: readonly ConfigProblem[], { file, source }: ConfigPlace): LoadError {
  const texts = problems.map(({ text }) => text)
  const told = texts.length === 1 ? texts.join('') : texts.map((text) => `\n  - ${text}`).join('')
  const options = { name: 'ConfigError', message: `Invalid configuration: ${told}`, file }
  if (source === undefined) return new LoadError(options)
  const position = problems.map(({ path }) => locateOption(source, path)).find((place) => place !== undefined)
  if (position === undefined) return new LoadError(options)
  return new LoadError({ ...options, position, frame: codeFrame(source, position) })
}
