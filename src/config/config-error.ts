import { userPlace } from '../lib/files/short-paths.ts'
import { codeFrame, positionAt } from './loader/errors/code-frame.ts'
import type { Position } from './loader/errors/code-frame.ts'
import { LoadError, loadErrorAt } from './loader/errors/load-error.ts'
import { readSource } from './loader/seen-sources.ts'

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

/** Matches comments, and strings so that their contents are not taken for comments. */
const COMMENT_OR_STRING =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

/**
 * The position of an option in the text of a config file. If a nested option is not found, its closest enclosing
 * option is used. Undefined if none is found.
 */
function locateOption(source: string, path: readonly PropertyKey[]): Position | undefined {
  const code = source.replaceAll(COMMENT_OR_STRING, (text) =>
    text.startsWith('/') ? text.replaceAll(/[^\n]/g, ' ') : text,
  )
  let from = Math.max(0, code.search(/defineConfig\s*\(|export\s+default/))
  let found: number | undefined
  for (const key of path) {
    if (typeof key !== 'string') continue
    const offset = keyOffset(code, key, from)
    if (offset === undefined) break
    found = offset
    from = offset + key.length
  }
  return found === undefined ? undefined : positionAt(source, found)
}

/** The offset of `key` as a property, a method or a shorthand of an object. */
function keyOffset(code: string, key: string, from: number): number | undefined {
  const name = key.replaceAll(/[^\w]/g, String.raw`\$&`)
  const property = new RegExp(String.raw`(?<=[{,\s]['"]?)(?<![.\w$])${name}(?=['"]?\s*[:,(}])`, 'g')
  property.lastIndex = from
  return property.exec(code)?.index
}
