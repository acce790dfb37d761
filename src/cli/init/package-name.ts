import { builtinModules } from 'node:module'
import path from 'node:path'

const FALLBACK = 'my-agentserver'
const MAX_LENGTH = 214
/** Names that npm rejects. */
const RESERVED = new Set(['node_modules', 'favicon.ico', ...builtinModules])

/**
 * Derives a valid package name from a directory's name. It differs from all `dependencies`, because a package can't
 * depend on itself.
 */
export function packageNameFor(directory: string, dependencies: readonly string[]): string {
  const name = path
    .basename(directory)
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '')
    .slice(0, MAX_LENGTH)
  if (name === '') return FALLBACK
  return RESERVED.has(name) || dependencies.includes(name) ? `${name}-app` : name
}
