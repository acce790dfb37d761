import { pathToFileURL } from 'node:url'
import { AppError } from '../../lib/errors.ts'
import { addCommand } from '../../lib/packages/package-manager.ts'

/**
 * Loads a package that only some projects need: the one beside this package, else the project's. Node keeps
 * what it loaded, so that later calls cost nothing.
 *
 * @param install the package with the version to install, as `ai@6`.
 * @throws AppError `unavailable`, with the command that installs it.
 */
export async function loadPackage<Exports>(install: string, projectDir: string): Promise<Exports> {
  const name = nameOf(install)
  try {
    const loaded: Exports = await import(name)
    return loaded
  } catch (error) {
    if (!isMissing(error, name)) throw error
    // where this package lives outside the project: installed globally, or linked
    return loadProjectPackage<Exports>(install, projectDir)
  }
}

/**
 * Loads a package of the project's own.
 *
 * @throws AppError as {@link loadPackage} does.
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
  throw new AppError('unavailable', `The package "${nameOf(install)}" is not installed: run ${command}`)
}

function nameOf(install: string): string {
  return install.slice(0, install.lastIndexOf('@'))
}

function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${name}'`)
}
