import fs from 'node:fs'
import path from 'node:path'
import { ancestorDirectories } from '../../lib/files/is-inside.ts'
import { HOME, VERSION } from '../../lib/packages/own-package.ts'

/**
 * The dependency of a project on the agentserver that runs: a version from the registry, or `file:` and the path to
 * the clone or tarball that it runs from. `home` is the directory of this package.
 */
export function ownDependency(project: string, home = HOME): string {
  const source = home.split(path.sep).includes('node_modules') ? tarballOf(home) : home
  if (source === undefined) return `^${VERSION}`
  return `file:${path.relative(realPath(project), source).split(path.sep).join('/')}`
}

/** The file that this package was installed from. Undefined if it is from a registry, or the file is gone. */
function tarballOf(home: string): string | undefined {
  for (const directory of ancestorDirectories(home)) {
    const found = [declaredIn(directory), installedIn(directory)].flat().find((file) => fs.existsSync(file))
    if (found !== undefined) return fs.realpathSync(found)
  }
  return undefined
}

/** The path in the dependencies of a directory's package.json, as in a project and in the cache of npx. */
function declaredIn(directory: string): string[] {
  const { dependencies, devDependencies } = readJson(path.join(directory, 'package.json'))
  return [dependencies, devDependencies].flatMap((group) => {
    return fileIn(directory, (group as Record<string, unknown> | undefined)?.['agentserver'])
  })
}

/** The path in npm's list of installed packages, as in the global directory. */
function installedIn(directory: string): string[] {
  const { packages } = readJson(path.join(directory, 'node_modules/.package-lock.json'))
  const entries = packages as Record<string, { resolved?: unknown } | undefined> | undefined
  return fileIn(directory, entries?.['node_modules/agentserver']?.resolved)
}

function fileIn(directory: string, range: unknown): string[] {
  return typeof range === 'string' && range.startsWith('file:')
    ? [path.resolve(directory, range.slice('file:'.length))]
    : []
}

/** Empty if the file is missing or not valid. */
function readJson(file: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>
  } catch {
    // another directory may have it
    return {}
  }
}

/** A path without symbolic links; its end may not exist yet. */
function realPath(place: string): string {
  const existing = [...ancestorDirectories(place)].find((directory) => fs.existsSync(directory)) ?? place
  return path.join(fs.realpathSync(existing), path.relative(existing, place))
}
