import { existsSync } from 'node:fs'
import path from 'node:path'
import compare from 'semver/functions/compare.js'
import parse from 'semver/functions/parse.js'
import type { PackageUpdate, UpdateList } from '../contract/endpoints/project/updates.ts'
import { systemClock, toIso } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { ancestorDirectories } from '../lib/files/is-inside.ts'
import { packageDirectory } from '../lib/packages/package-manager.ts'
import { chooseManager } from './managers/choose.ts'
import { undoKilledInstallation } from './installation-lock.ts'
import type { PackageVersions } from './managers/package-manager.ts'
import { findProjectPackage, isFromRegistry } from './project-package.ts'
import { installedVersion } from './installed-version.ts'
import type { DeclaredPackage, ProjectPackage } from './project-package.ts'
import { commandRunner } from './run-command.ts'

export interface FindUpdatesOptions {
  /** The project's directory, absolute. */
  readonly root: string
  readonly signal?: AbortSignal | undefined
}

/** Slow networks pass, dead ones end. */
const TIMEOUT_MS = 20_000

/**
 * Finds newer versions of the packages in `package.json` with the project's package manager, which uses the user's
 * registry and proxy settings. Packages that are not installed or not from a registry are omitted.
 *
 * @throws AppError `unavailable` if the registry is unreachable, `invalid_config` without a package.json, `conflict`
 * when no declared package is installed.
 */
export async function findUpdates({ root, signal }: FindUpdatesOptions): Promise<UpdateList> {
  undoKilledInstallation(packageDirectory(root))
  const project = findProjectPackage(root)
  const { manager } = await chooseManager(project.directory)
  const updates = await updatesOf(project, signal)
  return {
    hasUpdates: updates.length > 0,
    count: updates.length,
    packageManager: manager.name,
    updates,
    checkedAt: toIso(systemClock.now()),
  }
}

/**
 * The available updates, in the order of `package.json`.
 *
 * @throws AppError `conflict` when no declared package is installed: there is nothing to compare.
 */
export async function updatesOf(project: ProjectPackage, signal?: AbortSignal): Promise<PackageUpdate[]> {
  const packages = [...project.declared.values()].filter(isFromRegistry)
  if (packages.length === 0) return []
  if (!hasPackages(project.directory, packages)) {
    const { manager } = await chooseManager(project.directory)
    throw new AppError('conflict', `No package of package.json is installed: run ${manager.name} install`)
  }
  const run = commandRunner({ cwd: project.directory, timeoutMs: TIMEOUT_MS, signal })
  const { manager } = await chooseManager(project.directory)
  const found = await manager.findVersions(packages, run, project.directory)
  const byName = new Map(found.map((versions) => [versions.name, versions]))
  return packages.flatMap(({ name }) => {
    const versions = byName.get(name)
    return (versions && updateOf(versions)) ?? []
  })
}

/** Whether any of the packages is installed. Yarn's Plug'n'Play has no directories of packages to look for. */
function hasPackages(directory: string, packages: readonly DeclaredPackage[]): boolean {
  const isPlugAndPlay = [...ancestorDirectories(directory)].some((above) =>
    existsSync(path.join(above, '.pnp.cjs')),
  )
  return isPlugAndPlay || packages.some(({ name }) => installedVersion(directory, name) !== undefined)
}

/** The update of a package. Undefined if the latest version is not newer, as for an installed prerelease. */
export function updateOf(versions: PackageVersions): PackageUpdate | undefined {
  const { name, installed, wanted, latest } = versions
  const from = parse(installed)
  const to = parse(latest)
  if (!from || !to || compare(from, to) >= 0) return undefined
  // semver's own diff has types for prereleases that the API lacks
  const sameMajor = from.major === to.major
  const type = !sameMajor ? 'major' : from.minor === to.minor ? 'patch' : 'minor'
  return { name, installed, wanted, latest, type }
}
