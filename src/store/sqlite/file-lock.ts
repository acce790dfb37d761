import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../lib/errors.ts'
import { openDatabase, preferredDriver } from './driver.ts'
import type { Database, DriverName } from './driver.ts'

/** A lock that is held until it is released or its process ends, however it ends. */
export interface FileLock {
  release(): void
}

/**
 * Takes the lock that `file` stands for; `undefined` while another process, or another part of this one, holds it.
 * The file is an empty SQLite database whose write lock is held: SQLite locks files with the means of the operating
 * system, on Linux, macOS and Windows. It stays when the lock is released.
 */
export function takeFileLock(file: string): FileLock | undefined {
  mkdirSync(dirname(file), { recursive: true })
  const lock = openLock(file, preferredDriver())
  try {
    lock.exec('BEGIN IMMEDIATE')
  } catch (error) {
    lock.close()
    if (isBusy(error)) return undefined
    throw error
  }
  return { release: () => release(lock) }
}

/**
 * Makes this process the only owner of a database, with a lock on a file beside it. A row of that file has the
 * owner's process id, for the message of a process that finds it locked.
 *
 * @throws AppError `database_locked`
 */
export function lockDatabase(file: string, driver: DriverName): FileLock {
  const lock = openLock(`${file}-lock`, driver)
  try {
    // a committed row can be read by others while the second transaction holds the lock
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
  return { release: () => release(lock) }
}

function openLock(file: string, driver: DriverName): Database {
  const lock = openDatabase(file, {}, driver)
  lock.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE')
  return lock
}

function release(lock: Database): void {
  lock.exec('ROLLBACK')
  lock.close()
}

function ownerOf(lock: Database): number | undefined {
  try {
    return (lock.prepare('SELECT pid FROM owner').get() as { pid: number } | undefined)?.pid
  } catch (error) {
    // the owner may be writing its row at this moment
    if (isBusy(error) || /no such table/.test(String(error))) return undefined
    throw error
  }
}

function isBusy(error: unknown): boolean {
  return /database is locked|SQLITE_BUSY/.test(String(error))
}
