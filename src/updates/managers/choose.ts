import fs from 'node:fs'
import path from 'node:path'
import { bun } from './bun.ts'
import { npm } from './npm.ts'
import type { PackageManager } from './package-manager.ts'
import { pnpm } from './pnpm.ts'
import { yarnClassic } from './yarn-classic.ts'
import { yarn } from './yarn.ts'
import { readProjectPackage, upwards } from '../project-package.ts'
import type { ProjectPackage } from '../project-package.ts'

export interface ChosenManager {
  readonly manager: PackageManager
  /** What an installation may change or make beside `node_modules`, absolute. */
  readonly files: readonly string[]
}

/** In the order in which lockfiles are looked for, where several lie side by side. */
const MANAGERS = [pnpm, yarn, bun, npm]

/** The package manager that the project names in `packageManager`, else the one whose lockfile it has, else npm. */
export function chooseManager(project: ProjectPackage): ChosenManager {
  const directories = placesOf(project)
  const named = directories.map((directory) => readProjectPackage(directory)?.packageManager).find(Boolean)
  const manager = managerNamed(named) ?? managerByLockfile(directories) ?? npm
  const names = ['package.json', 'pnpm-workspace.yaml', ...manager.lockfiles]
  return {
    manager,
    files: directories.flatMap((directory) => names.map((name) => path.join(directory, name))),
  }
}

/** The project, and the workspace it may be a part of, which has the lockfile. */
function placesOf({ directory }: ProjectPackage): readonly string[] {
  for (const above of upwards(directory)) {
    const isWorkspace = readProjectPackage(above)?.hasWorkspaces || isFile(above, 'pnpm-workspace.yaml')
    if (isWorkspace) return above === directory ? [directory] : [directory, above]
  }
  return [directory]
}

function managerNamed(text = ''): PackageManager | undefined {
  const [, name, major] = /^([a-z]+)@(\d+)?/.exec(text) ?? []
  if (name === 'yarn') return major === '1' ? yarnClassic : yarn
  return MANAGERS.find((manager) => manager.name === name)
}

function managerByLockfile(directories: readonly string[]): PackageManager | undefined {
  for (const directory of directories) {
    const found = MANAGERS.find(({ lockfiles }) => lockfiles.some((name) => isFile(directory, name)))
    if (found !== yarn) {
      if (found) return found
      continue
    }
    const lockfile = fs.readFileSync(path.join(directory, 'yarn.lock'), 'utf8')
    return isFile(directory, '.yarnrc.yml') || lockfile.includes('__metadata:') ? yarn : yarnClassic
  }
  return undefined
}

function isFile(directory: string, name: string): boolean {
  return fs.statSync(path.join(directory, name), { throwIfNoEntry: false })?.isFile() ?? false
}
