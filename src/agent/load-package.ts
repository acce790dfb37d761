import { pathToFileURL } from 'node:url'
import { AppError } from '../lib/errors.ts'

/**
 * Loads a package that only some projects need: the one beside this package, else the project's. Node keeps
 * what it loaded, so that later calls cost nothing.
 *
 * @param install the package with the version to install, as `ai@6`.
 * @throws AppError `unavailable`, with the command that installs it.
 */
export async function loadPackage<Exports>(install: string, projectDir: string): Promise<Exports> {
  const name = install.slice(0, install.lastIndexOf('@'))
  try {
    const loaded: Exports = await import(name)
    return loaded
  } catch (error) {
    if (!isMissing(error, name)) throw error
    return loadFromProject<Exports>({ name, install, projectDir }, error)
  }
}

function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${name}'`)
}

interface Wanted {
  readonly name: string
  readonly install: string
  readonly projectDir: string
}

/** Reached where this package lives outside the project: installed globally, or linked. */
async function loadFromProject<Exports>(
  { name, install, projectDir }: Wanted,
  cause: unknown,
): Promise<Exports> {
  const { ResolverFactory } = await import('oxc-resolver')
  const resolver = new ResolverFactory({ conditionNames: ['node', 'import', 'default'] })
  const { path } = await resolver.async(projectDir, name)
  if (path !== undefined) {
    const loaded: Exports = await import(pathToFileURL(path).href)
    return loaded
  }
  throw new AppError('unavailable', `The package "${name}" is not installed`, {
    cause,
    hint: `Install it in the project: npm install ${install}`,
  })
}
