import fs from 'node:fs'
import path from 'node:path'
import { ancestorDirectories } from '../lib/files/is-inside.ts'

/** The version of a package that modules in a directory import. Undefined if it is not in a node_modules directory. */
export function installedVersion(directory: string, name: string): string | undefined {
  for (const above of ancestorDirectories(directory)) {
    const file = path.join(above, 'node_modules', name, 'package.json')
    if (fs.existsSync(file))
      return (JSON.parse(fs.readFileSync(file, 'utf8')) as { version?: string }).version
  }
  return undefined
}
