import { createHash } from 'node:crypto'
import type { Registry } from '../engine/registry.ts'
import { lazy } from '../lib/async/lazy.ts'
import { VERSION } from '../lib/packages/version.ts'

const HASH_LENGTH = 12

/**
 * Returns the release of a configuration: the version of this package and a hash of the project's files, such as
 * `0.1.0+3f9a2c41d0e5`. It is the same on all machines with the same code. A configuration that a program made has no
 * files: there the hash is that of its workflows' steps and of its agents' ids.
 */
export function releaseOf(registry: Registry, contentHash: (() => string) | undefined): () => string {
  return lazy(() => {
    const hash = contentHash?.() ?? hashOf(registry)
    return `${VERSION}+${hash.slice(0, HASH_LENGTH)}`
  })
}

function hashOf(registry: Registry): string {
  const workflows = registry.list().map(({ definition, hash }) => `${definition.id} ${hash}`)
  const agents = registry.usedAgents.map(({ id }) => id)
  const parts = [workflows.toSorted(), agents.toSorted()]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
