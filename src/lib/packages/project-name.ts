import fs from 'node:fs'
import path from 'node:path'
import { packageDirectory } from './package-manager.ts'

/**
 * The name of a project: that of its package, followed by the project's path in the package, or the name of the
 * directory if there is no package with a name.
 */
export function projectName(directory: string): string {
  const place = packageDirectory(directory)
  try {
    const text = fs.readFileSync(path.join(place, 'package.json'), 'utf8').replace(/^\uFEFF/, '')
    const manifest = JSON.parse(text) as { readonly name?: unknown } | null
    const inPackage = path.relative(place, directory).split(path.sep)
    if (typeof manifest?.name === 'string' && manifest.name !== '')
      return [manifest.name, ...inPackage.filter((part) => part !== '')].join('/')
  } catch {
    // missing or not valid: the directory has a name as well
  }
  return path.basename(path.resolve(directory))
}
