import fs from 'node:fs'

/** With the waits doubled, about a third of a second: virus scanners hold a new file for less. */
const ATTEMPTS = 6
const FIRST_WAIT_MS = 10
const HELD = new Set(['EACCES', 'EBUSY', 'EPERM'])

/**
 * Renames a file, over another one if there is one. Windows refuses that while any program has one of the two open, such
 * as a virus scanner or an indexer, so it is tried again there. Blocks the thread meanwhile.
 */
export function renameOver(from: string, to: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      return fs.renameSync(from, to)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (process.platform !== 'win32' || !HELD.has(code) || attempt === ATTEMPTS) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FIRST_WAIT_MS * 2 ** (attempt - 1))
    }
  }
}
