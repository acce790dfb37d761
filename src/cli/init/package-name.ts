import { builtinModules } from 'node:module'
import path from 'node:path'

const FALLBACK = 'my-agentserver'
const LONGEST = 214
/** Names that npm refuses. */
const REFUSED = new Set(['node_modules', 'favicon.ico', ...builtinModules])

/**
 * A valid package name that is as near to a directory's name as can be. It is none of `dependencies`: a package
 * can't depend on itself.
 */
export function packageNameFor(directory: string, dependencies: readonly string[]): string {
  const name = path
    .basename(directory)
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '')
    .slice(0, LONGEST)
  if (name === '') return FALLBACK
  return REFUSED.has(name) || dependencies.includes(name) ? `${name}-app` : name
}
