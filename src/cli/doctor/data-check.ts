import fs from 'node:fs'
import path from 'node:path'
import { DATA_DIRECTORY, exposedFiles } from '../../lib/files/private-files.ts'
import type { Check } from './check.ts'
import { ok, warning } from './check.ts'

/** Checks that other users can't read the project's data. Returns no check before there is any, and none on Windows. */
export function checkData(root: string): Check[] {
  const directory = path.join(root, DATA_DIRECTORY)
  if (process.platform === 'win32' || !fs.existsSync(directory)) return []
  const [first, ...more] = exposedFiles(directory)
  if (!first) return [ok('data', `${DATA_DIRECTORY} is readable by its owner only`)]
  const name = path.relative(root, first.file)
  const others = more.length === 0 ? '' : `, and ${more.length} more`
  return [
    warning(
      'data',
      `${name} is open to other users (mode ${first.mode.toString(8)})${others}`,
      `Run: chmod 700 ${DATA_DIRECTORY} && chmod 600 ${DATA_DIRECTORY}/*`,
    ),
  ]
}
