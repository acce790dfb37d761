import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the product's own code is. */
const OWN_CODE = fileURLToPath(new URL('../..', import.meta.url))
/** Packages may be installed further up. */
const PACKAGES = /(?<![\w/\\.-])(?:[A-Za-z]:)?[/\\](?:[\w@.+-]+[/\\])*(node_modules[/\\])/g
const FRAME = /^\s+at /
/** What stands between user code and its caller says nothing about a mistake in it. */
const OWN_FRAME = /^\s+at .*?\(?(?:agentserver\/|node:|node_modules[/\\]@opentelemetry[/\\])/

/**
 * Paths in the project are told from there, those of packages from `node_modules`: where they are installed is
 * nobody's business. Stacks are kept to the frames of user code, if there are any.
 */
export function shortPaths(root: string): (text: string) => string {
  const project = root.endsWith(path.sep) ? root : `${root}${path.sep}`
  return (text) => {
    if (!text.includes(path.sep)) return text
    const near = text.replaceAll('file://', '').replaceAll(project, '').replaceAll(OWN_CODE, 'agentserver/')
    return withoutOwnFrames(near.replaceAll(PACKAGES, '$1'))
  }
}

function withoutOwnFrames(text: string): string {
  if (!text.includes('\n    at ')) return text
  const lines = text.split('\n')
  const hasOthers = lines.some((line) => FRAME.test(line) && !OWN_FRAME.test(line))
  return hasOthers ? lines.filter((line) => !OWN_FRAME.test(line)).join('\n') : text
}
