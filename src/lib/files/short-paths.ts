import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { OWN_CODE as CODE_FOLDER } from '../packages/own-package.ts'

const OWN_CODE = `${CODE_FOLDER}${path.sep}`
/** Any path to a `node_modules` directory, which may be outside of the project. */
const PACKAGES = /(?<![\w/\\.-])(?:[A-Za-z]:)?[/\\](?:[\w@.+-]+[/\\])*(node_modules[/\\])/g
const FRAME = /^\s+at /
/** Frames of this package, of Node and of OpenTelemetry, which don't help to find an error in user code. */
const OWN_FRAME = /^\s+at .*?\(?(?:agentserver\/|node:|node_modules[/\\]@opentelemetry[/\\])/

/**
 * Returns a function that makes paths in a text relative to the project or to `node_modules`, so that recorded errors
 * don't reveal where they are installed. Stacks keep only the frames of user code, if there are any.
 */
export function shortPaths(root: string, { sep }: { readonly sep: string } = path): (text: string) => string {
  const project = root.endsWith(sep) ? root : `${root}${sep}`
  return (text) => {
    if (!/[/\\]/.test(text)) return text
    const near = withoutFileUrls(text, sep).replaceAll(project, '').replaceAll(OWN_CODE, 'agentserver/')
    return withoutOwnFrames(near.replaceAll(PACKAGES, '$1'))
  }
}

const FILE_URL = /file:\/\/\/[^\s'"`()?#]+/g

/** A text with paths in place of `file:` URLs, by which stacks name ES modules. On Windows the two have other separators. */
function withoutFileUrls(text: string, sep: string): string {
  return text.includes('file:///') ? text.replaceAll(FILE_URL, (url) => pathOf(url, sep)) : text
}

function pathOf(url: string, sep: string): string {
  try {
    return fileURLToPath(url, { windows: sep === '\\' })
  } catch {
    // not a path of this system
    return url
  }
}

/** A position in user code. */
export interface CodePlace {
  /** Absolute. */
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  /** Counted from 1. */
  readonly column: number
}

const PLACE = /^\s+at (?:.*? \()?(?:async )?(.+?):(\d+):(\d+)\)?$/gm

/** The place of the first stack frame that is not of this package, of another one or of Node. */
export function userPlace(stack: string | undefined): CodePlace | undefined {
  for (const [, place = '', line, column] of (stack ?? '').matchAll(PLACE)) {
    const file = withoutFileUrls(place, path.sep)
    if (path.isAbsolute(file) && !file.startsWith(OWN_CODE) && !NOT_USER_CODE.test(file))
      return { file, line: Number(line), column: Number(column) }
  }
  return undefined
}

const NOT_USER_CODE = /[/\\]node_modules[/\\]/

function withoutOwnFrames(text: string): string {
  if (!text.includes('\n    at ')) return text
  const lines = text.split('\n')
  const hasOthers = lines.some((line) => FRAME.test(line) && !OWN_FRAME.test(line))
  return hasOthers ? lines.filter((line) => !OWN_FRAME.test(line)).join('\n') : text
}
