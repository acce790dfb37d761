import path from 'node:path'
import { HOME } from '../../lib/packages/own-package.ts'
import type { Terminal } from './terminal.ts'

/** The line below an error that leads to the page which explains it, by its path in this package. */
export function docsLine(page: string, paint: Terminal['paint']): string {
  return paint.dim(`See ${path.relative(process.cwd(), path.join(HOME, page))}`)
}
