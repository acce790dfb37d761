import fs from 'node:fs'
import path from 'node:path'
import { detectPackageManager, lockfilesOf, projectDirectories } from '../../lib/packages/package-manager.ts'
import type { PackageManagerName } from '../../lib/packages/package-manager.ts'
import { bun } from './bun.ts'
import { npm } from './npm.ts'
import type { PackageManager } from './package-manager.ts'
import { pnpm } from './pnpm.ts'
import { yarnClassic } from './yarn-classic.ts'
import { yarn } from './yarn.ts'

export interface ChosenManager {
  readonly manager: PackageManager
  /** Files that an installation may change or create beside `node_modules`, absolute. */
  readonly files: readonly string[]
}

const MANAGERS: Readonly<Record<PackageManagerName, PackageManager>> = { npm, pnpm, yarn, bun }

/** Chooses the package manager of a project. */
export async function chooseManager(directory: string): Promise<ChosenManager> {
  const { name, yarnClassic: isClassic } = await detectPackageManager(directory)
  const places = projectDirectories(directory)
  const classic = name === 'yarn' && (isClassic ?? places.some(hasClassicLockfile))
  const files = ['package.json', 'pnpm-workspace.yaml', ...lockfilesOf(name)]
  return {
    manager: classic ? yarnClassic : MANAGERS[name],
    files: places.flatMap((place) => files.map((file) => path.join(place, file))),
  }
}

/** Yarn 1 and later versions have different commands and lockfile formats. */
function hasClassicLockfile(directory: string): boolean {
  const file = path.join(directory, 'yarn.lock')
  if (!fs.existsSync(file) || fs.existsSync(path.join(directory, '.yarnrc.yml'))) return false
  return !fs.readFileSync(file, 'utf8').includes('__metadata:')
}
