import { dirname } from 'node:path'
import { AppError } from '../../lib/errors.ts'
import { createPrivateFile, makePrivate } from '../../lib/files/private-files.ts'
import { openDatabase, preferredDriver } from './driver.ts'
import type { Database, DriverName } from './driver.ts'
import { databaseError } from './health/database-error.ts'

/** A lock of the operating system, which releases it when the process ends, even by `kill -9`. */
export interface FileLock {
  release(): void
}

/**
 * Takes a lock; returns `undefined` if it is held, by another process or in this one. The lock is the write lock of an
 * empty SQLite database at `file`: SQLite has file locks for Linux, macOS and Windows, Node has none. The file is kept
 * after the release, as deleting it could let two processes hold the lock.
 */
export function takeFileLock(file: string): FileLock | undefined {
  const lock = openLock(file, preferredDriver())
  makePrivate(dirname(file))
  try {
    lock.exec('BEGIN IMMEDIATE')
  } catch (error) {
    lock.close()
    if (isBusy(error)) return undefined
    throw error
  }
  return { release: () => release(lock) }
}

/** The lock file of a database. */
export const lockFileOf = (file: string): string => `${file}-lock`

/**
 * Makes this process the only owner of a database, with a lock on the file `<database>-lock`. A row in that file has
 * the owner's process id, for the error message of other processes.
 *
 * @throws AppError `database_locked` if another process owns the database, `unavailable` if the file can't be written.
 */
export function lockDatabase(file: string, driver: DriverName): FileLock {
  try {
    return takeDatabaseLock(file, driver)
  } catch (error) {
    throw databaseError(error, `The lock file ${lockFileOf(file)}`) ?? error
  }
}

function takeDatabaseLock(file: string, driver: DriverName): FileLock {
  const lock = openLock(lockFileOf(file), driver)
  try {
    // the first transaction commits the row, which others can read while the second one holds the lock
    lock.exec('BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS owner (pid INTEGER NOT NULL); DELETE FROM owner')
    lock.prepare('INSERT INTO owner VALUES (?)').run(process.pid)
    lock.exec('COMMIT; BEGIN IMMEDIATE')
  } catch (cause) {
    const pid = isBusy(cause) ? ownerOf(lock) : undefined
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
  createPrivateFile(file)
  const lock = openDatabase(file, {}, driver)
  // its row is a hint for people: it need not survive the machine
  lock.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF')
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
    // the owner is just writing its row
    if (isBusy(error) || /no such table/.test(String(error))) return undefined
    throw error
  }
}

function isBusy(error: unknown): boolean {
  return /database is locked|SQLITE_BUSY/.test(String(error))
}
