import satisfies from 'semver/functions/satisfies.js'
import { addCommand } from '../../lib/packages/package-manager.ts'
import { VERSION } from '../../lib/packages/own-package.ts'
import { installedVersion } from '../../updates/installed-version.ts'
import type { Check } from './check.ts'
import { failure, ok, warning } from './check.ts'

export interface PackagesCheckOptions {
  readonly root: string
  /** Packages that the project installs, with the supported version ranges. */
  readonly peers: Readonly<Record<string, string>>
  /** The ones that this project requires. */
  readonly needed: readonly string[]
}

/** Checks that the installed package versions are supported. */
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
    ...(own === undefined || own === VERSION ? [] : [versionMismatch(own)]),
    ...(await Promise.all(peerChecks)).flat(),
  ]
  return [ok('packages', [`agentserver ${VERSION}`, ...shown].join(', ')), ...problems]
}

function versionMismatch(own: string): Check {
  const message = `Running agentserver ${VERSION}, but the project has ${own} installed`
  return warning('packages', message, 'Run the installed version: npx agentserver doctor')
}

interface PeerRequirement {
  readonly root: string
  readonly range: string
  readonly version: string | undefined
  readonly needed: boolean
}

async function checkPeer(name: string, { root, range, version, needed }: PeerRequirement): Promise<Check[]> {
  if (version === undefined && !needed) return []
  if (version !== undefined && satisfies(version, range)) return []
  // the first major version of a range works on all supported Node versions
  const major = /\d+/.exec(range)?.[0] ?? 'latest'
  const install = `Install a supported version (${range}): ${await addCommand(root, `${name}@${major}`)}`
  const problem = version === undefined ? 'is not installed' : `${version} is not supported`
  return [failure('packages', `${name} ${problem}`, install)]
}
