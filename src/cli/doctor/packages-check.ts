import satisfies from 'semver/functions/satisfies.js'
import { addCommand } from '../../lib/packages/package-manager.ts'
import { VERSION } from '../../lib/packages/version.ts'
import { installedVersion } from '../../updates/installed-version.ts'
import type { Check } from './check.ts'
import { failure, ok, warning } from './check.ts'

export interface PackagesCheckOptions {
  readonly root: string
  /** The packages that a project brings, with the versions this release works with. */
  readonly peers: Readonly<Record<string, string>>
  /** Those of them that this project can't do without. */
  readonly needed: readonly string[]
}

/** Whether the installed versions go together. */
export async function checkPackages({ root, peers, needed }: PackagesCheckOptions): Promise<Check[]> {
  const own = installedVersion(root, 'agentserver')
  const found = Object.entries(peers).map(
    ([name, range]) => [name, range, installedVersion(root, name)] as const,
  )
  const shown = found.flatMap(([name, , version]) => (version === undefined ? [] : [`${name} ${version}`]))
  const peerChecks = found.map(([name, range, version]) =>
    checkPeer(name, { root, range, version, needed: needed.includes(name) }),
  )
  const problems = [
    ...(own === undefined || own === VERSION ? [] : [otherVersion(own)]),
    ...(await Promise.all(peerChecks)).flat(),
  ]
  return [ok('packages', [`agentserver ${VERSION}`, ...shown].join(', ')), ...problems]
}

function otherVersion(own: string): Check {
  const message = `This is agentserver ${VERSION}; the project has ${own}`
  return warning('packages', message, "Run the project's own: npx agentserver doctor")
}

interface Wanted {
  readonly root: string
  readonly range: string
  readonly version: string | undefined
  readonly needed: boolean
}

async function checkPeer(name: string, { root, range, version, needed }: Wanted): Promise<Check[]> {
  if (version === undefined && !needed) return []
  if (version !== undefined && satisfies(version, range)) return []
  // the first major version of a range is the one that works on every supported Node
  const major = /\d+/.exec(range)?.[0] ?? 'latest'
  const install = `Install a version of ${range}: ${await addCommand(root, `${name}@${major}`)}`
  const problem = version === undefined ? 'is not installed' : `${version} is not supported`
  return [failure('packages', `${name} ${problem}`, install)]
}
