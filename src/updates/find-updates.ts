import { existsSync } from 'node:fs'
import path from 'node:path'
import compare from 'semver/functions/compare.js'
import parse from 'semver/functions/parse.js'
import maxSatisfying from 'semver/ranges/max-satisfying.js'
import type { PackageUpdate, UpdateList } from '../contract/endpoints/project/updates.ts'
import { systemClock, toIso } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { ancestorDirectories } from '../lib/files/is-inside.ts'
import { packageDirectory } from '../lib/packages/package-manager.ts'
import { undoKilledInstallation } from './installation-lock.ts'
import { installedVersion } from './installed-version.ts'
import { findManager, findOutdated, plugAndPlayVersions } from './package-managers.ts'
import type { ProjectManager } from './package-managers.ts'
import { findProjectPackage, isFromRegistry } from './project-package.ts'
import type { DeclaredPackage, ProjectPackage } from './project-package.ts'
import { commandRunner } from './run-command.ts'
import type { RunCommand } from './run-command.ts'

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
  const manager = await findManager(project.directory)
  const updates = await updatesOf(project, manager, signal)
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
export async function updatesOf(
  { directory, declared }: ProjectPackage,
  manager: ProjectManager,
  signal?: AbortSignal,
): Promise<PackageUpdate[]> {
  const packages = [...declared.values()].filter(isFromRegistry)
  if (packages.length === 0) return []
  const run = commandRunner({ cwd: directory, timeoutMs: TIMEOUT_MS, signal })
  const installed = await installedVersions(directory, packages, run)
  const present = packages.filter(({ name }) => installed.has(name))
  if (present.length === 0)
    throw new AppError('conflict', `No package of package.json is installed: run ${manager.name} install`)
  const outdated = await findOutdated(manager, present, run)
  const byName = new Map(outdated.map((found) => [found.name, found]))
  return present.flatMap(({ name, range }) => {
    const found = byName.get(name)
    const version = installed.get(name)
    if (!found || version === undefined) return []
    // npm also reports what the packages that depend on it want
    const wanted = maxSatisfying([...found.wanted], range) ?? found.wanted[0] ?? version
    return updateOf({ name, installed: version, wanted, latest: found.latest }) ?? []
  })
}

/** The versions of declared packages that are installed. Yarn's Plug'n'Play has no directories to look for. */
async function installedVersions(
  directory: string,
  packages: readonly DeclaredPackage[],
  run: RunCommand,
): Promise<ReadonlyMap<string, string>> {
  const isPlugAndPlay = [...ancestorDirectories(directory)].some((above) =>
    existsSync(path.join(above, '.pnp.cjs')),
  )
  if (isPlugAndPlay) return plugAndPlayVersions(run)
  const versions = packages.map(({ name }) => [name, installedVersion(directory, name)] as const)
  return new Map(versions.flatMap(([name, version]) => (version === undefined ? [] : [[name, version]])))
}

/** The update of a package. Undefined if the latest version is not newer, as for an installed prerelease. */
export function updateOf(versions: Omit<PackageUpdate, 'type'>): PackageUpdate | undefined {
  const { installed, latest } = versions
  const from = parse(installed)
  const to = parse(latest)
  if (!from || !to || compare(from, to) >= 0) return undefined
  // semver's own diff has types for prereleases that the API lacks
  const sameMajor = from.major === to.major
  const type = !sameMajor ? 'major' : from.minor === to.minor ? 'patch' : 'minor'
  return { ...versions, type }
}
