import fs from 'node:fs'
import path from 'node:path'
import { LOCKFILES, packageManagerOf, projectPlaces } from '../../lib/packages/package-manager.ts'
import type { PackageManagerName } from '../../lib/packages/package-manager.ts'
import { bun } from './bun.ts'
import { npm } from './npm.ts'
import type { PackageManager } from './package-manager.ts'
import { pnpm } from './pnpm.ts'
import { yarnClassic } from './yarn-classic.ts'
import { yarn } from './yarn.ts'

export interface ChosenManager {
  readonly manager: PackageManager
  /** What an installation may change or make beside `node_modules`, absolute. */
  readonly files: readonly string[]
}

const MANAGERS: Readonly<Record<PackageManagerName, PackageManager>> = { npm, pnpm, yarn, bun }

/** What the package manager of a project does. */
export function chooseManager(directory: string): ChosenManager {
  const { name, version } = packageManagerOf(directory)
  const places = projectPlaces(directory)
  const names = ['package.json', 'pnpm-workspace.yaml', ...LOCKFILES[name]]
  return {
    manager: name === 'yarn' && isClassic(version, places) ? yarnClassic : MANAGERS[name],
    files: places.flatMap((place) => names.map((file) => path.join(place, file))),
  }
}

/** Yarn 1 is another program than those after it. */
function isClassic(version: string | undefined, places: readonly string[]): boolean {
  if (version !== undefined) return version.startsWith('1.') || version === '1'
  return places.some((place) => {
    const file = path.join(place, 'yarn.lock')
    if (!fs.existsSync(file) || fs.existsSync(path.join(place, '.yarnrc.yml'))) return false
    return !fs.readFileSync(file, 'utf8').includes('__metadata:')
  })
}
