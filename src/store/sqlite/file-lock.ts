import { AppError } from '../../lib/errors.ts'
import { openDatabase } from './driver.ts'
import type { Database, DriverName } from './driver.ts'

/**
 * Makes this process the only owner of a database file. The lock is a write lock on a small database beside
 * it: the operating system drops it when the process dies, however it dies. Its row names the owner.
 */
export function lockFile(file: string, driver: DriverName): { release(): void } {
  const lock = openDatabase(`${file}-lock`, {}, driver)
  try {
    // announce, then hold: readers see the committed row while the second transaction keeps the lock
    lock.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE')
    lock.exec('BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS owner (pid INTEGER NOT NULL); DELETE FROM owner')
    lock.prepare('INSERT INTO owner VALUES (?)').run(process.pid)
    lock.exec('COMMIT; BEGIN IMMEDIATE')
  } catch (cause) {
    const pid = ownerOf(lock)
    lock.close()
    if (!isBusy(cause)) throw cause
    throw new AppError('database_locked', `The database ${file} is in use by process ${pid ?? 'unknown'}`, {
      cause,
      hint: `Stop that process${pid === undefined ? '' : ` (pid ${pid})`}, or set another "database" in the configuration`,
    })
  }
  return {
    release: () => {
      lock.exec('ROLLBACK')
      lock.close()
    },
  }
}

function ownerOf(lock: Database): number | undefined {
  try {
    return (lock.prepare('SELECT pid FROM owner').get() as { pid: number } | undefined)?.pid
  } catch (error) {
    // the owner may just be writing its row
    if (isBusy(error) || /no such table/.test(String(error))) return undefined
    throw error
  }
}

function isBusy(error: unknown): boolean {
  return /database is locked|SQLITE_BUSY/.test(String(error))
}
