import fs from 'node:fs'
import path from 'node:path'
import { isProcessAlive } from '../../../lib/files/is-process-alive.ts'

/** Files that SQLite may make beside a database. */
export const SIDE_FILES = ['-wal', '-shm', '-journal'] as const

/** The file in which a database is written before it gets its name. Deletes those of processes that were killed. */
export function draftOf(file: string): string {
  const directory = path.dirname(file)
  const start = `${path.basename(file)}.partial-`
  for (const name of fs.readdirSync(directory)) {
    const pid = name.startsWith(start) ? /^\d+/.exec(name.slice(start.length))?.[0] : undefined
    if (pid !== undefined && !isProcessAlive(Number(pid)))
      fs.rmSync(path.join(directory, name), { force: true })
  }
  return path.join(directory, `${start}${process.pid}`)
}

/** Deletes a draft, if it is still there, and what SQLite made beside it. */
export function removeDraft(draft: string): void {
  for (const suffix of ['', ...SIDE_FILES]) fs.rmSync(`${draft}${suffix}`, { force: true })
}

/** Writes a file's content, or the entries of a directory, to disk. Windows can't open directories. */
export function syncToDisk(file: string): void {
  const isDirectory = fs.statSync(file).isDirectory()
  if (isDirectory && process.platform === 'win32') return
  const descriptor = fs.openSync(file, isDirectory ? 'r' : 'r+')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
