import { isPackageName } from '../contract/endpoints/project/updates.ts'
import type { InstalledUpdates, PackageUpdate } from '../contract/endpoints/project/updates.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { AppError } from '../lib/errors.ts'
import { packageDirectory } from '../lib/packages/package-manager.ts'
import { updatesOf } from './find-updates.ts'
import { InstallBackup } from './install-backup.ts'
import { holdInstallation, INSTALL_TIMEOUT_MS } from './installation-lock.ts'
import { installedVersion } from './installed-version.ts'
import { findManager, installCommands } from './package-managers.ts'
import type { ProjectManager } from './package-managers.ts'
import { findProjectPackage, isFromRegistry } from './project-package.ts'
import type { ProjectPackage } from './project-package.ts'
import { commandFailed, commandRunner } from './run-command.ts'

export interface InstallUpdatesOptions {
  /** The project's directory, absolute. */
  readonly root: string
  /** Update only this package. Default: all that have an update. */
  readonly packageName?: string | undefined
  /** Receives the package manager's output, line by line. */
  readonly onOutput?: (line: string) => void
  readonly signal?: AbortSignal
}

/**
 * Installs the latest versions of packages that `package.json` declares, without running install scripts. If that
 * fails, `package.json` and the lockfile are restored.
 *
 * @throws AppError `invalid_input` for a package that is not from a registry, `not_found` for one that is not declared,
 * `conflict` while another installation is running, `unavailable` if the registry is unreachable, `install_failed` if
 * the package manager fails.
 */
export async function installUpdates(options: InstallUpdatesOptions): Promise<InstalledUpdates> {
  const { root, packageName } = options
  if (packageName !== undefined && !isPackageName(packageName))
    throw new AppError('invalid_input', 'packageName: Must be the name of an npm package')
  const directory = packageDirectory(root)
  const lock = holdInstallation(directory)
  if (!lock) throw new AppError('conflict', 'Another installation is running')
  try {
    const backup = new InstallBackup(directory)
    backup.restoreAfterKill(INSTALL_TIMEOUT_MS)
    return await install({ ...options, project: projectFor(options), backup })
  } finally {
    lock.release()
  }
}

/** Finds the project and checks that the requested package can be installed. */
function projectFor({ root, packageName }: InstallUpdatesOptions): ProjectPackage {
  const project = findProjectPackage(root)
  const declared = packageName === undefined ? undefined : project.declared.get(packageName)
  if (packageName !== undefined && !declared)
    throw new AppError(
      'not_found',
      `Package not found in package.json: ${packageName}`,
      hintFor(packageName, project),
    )
  if (declared && !isFromRegistry(declared))
    throw new AppError('invalid_input', `packageName: ${declared.name} is not from a registry`)
  return project
}

function hintFor(packageName: string, { declared }: ProjectPackage): { hint?: string } {
  const similar = didYouMean(packageName, [...declared.keys()])
  return similar === undefined ? {} : { hint: `Did you mean "${similar}"?` }
}

interface Installation extends InstallUpdatesOptions {
  readonly project: ProjectPackage
  readonly backup: InstallBackup
}

async function install(installation: Installation): Promise<InstalledUpdates> {
  const { project, packageName, signal } = installation
  const manager = await findManager(project.directory)
  const found = await updatesOf(project, manager, signal)
  const updates = packageName === undefined ? found : found.filter(({ name }) => name === packageName)
  if (updates.length === 0) return { updated: [], restartRequired: false }
  await runCommands(installation, manager, updates)
  const updated = updates.map(({ name, installed, latest }) => {
    return { name, from: installed, to: installedVersion(project.directory, name) ?? latest }
  })
  return { updated, restartRequired: true }
}

async function runCommands(
  { project, backup, onOutput, signal }: Installation,
  { agent, files }: ProjectManager,
  updates: readonly PackageUpdate[],
): Promise<void> {
  const run = commandRunner({ cwd: project.directory, timeoutMs: INSTALL_TIMEOUT_MS, onOutput, signal })
  const declared = updates.flatMap(({ name }) => project.declared.get(name) ?? [])
  backup.take(files)
  try {
    for (const [command, args] of installCommands(agent, declared)) {
      const result = await run(command, args)
      if (result.exitCode !== 0) throw commandFailed(`${command} failed to install the updates`, result)
    }
  } catch (error) {
    backup.restore()
    throw error
  }
  backup.discard()
}
