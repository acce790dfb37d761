import fs from 'node:fs'
import path from 'node:path'
import { projectDirectories } from './package-manager.ts'

const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const

/** The names of the packages that a project and its workspace declare. */
export function declaredPackages(directory: string): string[] {
  return projectDirectories(directory).flatMap((place) => {
    try {
      const text = fs.readFileSync(path.join(place, 'package.json'), 'utf8').replace(/^\uFEFF/, '')
      const manifest = JSON.parse(text) as Partial<Record<string, object>> | null
      return GROUPS.flatMap((group) => Object.keys(manifest?.[group] ?? {}))
    } catch {
      // missing or not valid: the package manager reports that
      return []
    }
  })
}
