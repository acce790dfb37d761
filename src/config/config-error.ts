import type { FoundProblem } from '../lib/declared-at.ts'
import { userPlace } from '../lib/files/short-paths.ts'
import { codeFrame, positionAt } from './loader/errors/code-frame.ts'
import type { Position } from './loader/errors/code-frame.ts'
import { LoadError, projectRelative } from './loader/errors/load-error.ts'
import { readSource } from './loader/seen-sources.ts'

/** A problem in a configuration. */
export interface ConfigProblem extends FoundProblem {
  /** The path to the option. */
  readonly path: readonly PropertyKey[]
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
 * The error for an invalid configuration. It points to the first problem with a place: where its declaration is, or else
 * its option in the text of the config file. Of several problems, the message has the places of the declarations.
 */
export function configError(problems: readonly ConfigProblem[], place: ConfigPlace): LoadError {
  const placed = problems.map((problem) => ({ problem, declared: declaredPlace(problem, place) }))
  const texts = placed.map(({ problem: { message }, declared }) =>
    declared === undefined || problems.length === 1 ? message : `${message} (${placeText(declared)})`,
  )
  const list = texts.length === 1 ? texts.join('') : texts.map((text) => `\n  - ${text}`).join('')
  const options = { name: 'ConfigError', message: `Invalid configuration: ${list}` }
  for (const { problem, declared } of placed) {
    const found = declared ?? optionPlace(problem, place)
    if (found === undefined) continue
    const { file, source, position } = found
    return new LoadError({ ...options, file, position, frame: codeFrame(source, position) })
  }
  return new LoadError({ ...options, file: place.file })
}

/** A place in a file of the project. */
interface ProblemPlace {
  /** Relative to the project. */
  readonly file: string
  readonly source: string
  readonly position: Position
}

function placeText({ file, position: { line, column } }: ProblemPlace): string {
  return `${file}:${line}:${column}`
}

/** Where the declaration with a problem is. Undefined if that is not in a file of the user. */
function declaredPlace({ declaration }: ConfigProblem, { root }: ConfigPlace): ProblemPlace | undefined {
  const place = root === undefined ? undefined : userPlace(declaration?.stack)
  const source = place && readSource(place.file)
  if (root === undefined || place === undefined || source === undefined) return undefined
  return { file: projectRelative(root, place.file), source, position: place }
}

/** Where the option with a problem is in the config file. */
function optionPlace({ path }: ConfigProblem, { file, source }: ConfigPlace): ProblemPlace | undefined {
  const position = source === undefined ? undefined : locateOption(source, path)
  return source === undefined || position === undefined ? undefined : { file, source, position }
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
