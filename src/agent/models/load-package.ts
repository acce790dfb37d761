import { pathToFileURL } from 'node:url'
import { addCommand } from '../../lib/packages/package-manager.ts'
import { ModelError } from './model-error.ts'

/**
 * Loads an optional package: the one installed next to this package, otherwise the project's. Node caches it, so
 * later calls are cheap.
 *
 * @param install the package with the version to install, such as `ai@6`.
 * @throws AppError `unavailable` with the command that installs it.
 */
export async function loadPackage<Exports>(install: string, projectDir: string): Promise<Exports> {
  const name = nameOf(install)
  try {
    const loaded: Exports = await import(name)
    return loaded
  } catch (error) {
    if (!isMissing(error, name)) throw error
    // this package is installed outside the project: globally, or as a link
    return loadProjectPackage<Exports>(install, projectDir)
  }
}

/**
 * Loads a package that is installed in the project.
 *
 * @throws AppError `unavailable` with the command that installs it.
 */
export async function loadProjectPackage<Exports>(install: string, projectDir: string): Promise<Exports> {
  const { ResolverFactory } = await import('oxc-resolver')
  const resolver = new ResolverFactory({ conditionNames: ['node', 'import', 'default'] })
  const { path } = await resolver.async(projectDir, nameOf(install))
  if (path !== undefined) {
    const loaded: Exports = await import(pathToFileURL(path).href)
    return loaded
  }
  const command = await addCommand(projectDir, install)
  throw new ModelError('unavailable', `The package "${nameOf(install)}" is not installed: run ${command}`)
}

function nameOf(install: string): string {
  return install.slice(0, install.lastIndexOf('@'))
}

function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${name}'`)
}
