import { basename } from 'node:path'
import { AppError } from '../../../lib/errors.ts'
import type { DriverName } from '../driver.ts'
import { lockDatabase, lockFileOf } from '../file-lock.ts'
import type { FileLock } from '../file-lock.ts'
import type { Database } from '../driver.ts'
import { RescueCopy } from '../backup/rescue-copy.ts'
import type { StoreLogger } from '../../store-logger.ts'
import type { DatabaseHealth } from './database-health.ts'
import { fileIdentity, identifyFiles } from './file-identity.ts'
import type { FileIdentity } from './file-identity.ts'

/** Half of the time in which a lost file has to be noticed. */
const INTERVAL_MS = 1000

interface GuardOptions {
  /** The open database, which still has all that was committed. */
  readonly database: Database
  readonly logger: StoreLogger
  readonly driver: DriverName
  readonly lock: FileLock
  readonly health: DatabaseHealth
}

/**
 * Checks each second that the files of an open database are still in place. Writes are refused while the database or
 * its WAL is not, and their state is copied beside them; a missing lock file is locked again. Polls, as replaced mounts and network file systems cause no
 * notification. Returns the lock that is held then, whose release ends the checks.
 */
export function guardFiles(file: string, { database, driver, lock, health, logger }: GuardOptions): FileLock {
  const data = [file, `${file}-wal`]
  const opened = data.map((path) => fileIdentity(path))
  const lockFile = lockFileOf(file)
  /** A lock file that is put back is still locked by this process. */
  const locks = new Map([[fileIdentity(lockFile), lock]])
  const rescue = new RescueCopy(database, file, logger)
  let released = false

  const check = async () => {
    const present = await identifyFiles([...data, lockFile])
    if (!present || released) return
    const lost = data.findIndex((_, index) => present[index] !== opened[index])
    if (lost !== -1) {
      const change = `${basename(data[lost] ?? file)} was ${present[lost] === undefined ? 'deleted' : 'replaced'}`
      health.setLost(lostError(change, rescue.advice))
      rescue.write()
      return health.setLost(lostError(change, rescue.advice))
    }
    rescue.forget()
    const lockNow = present.at(-1)
    health.setLost(locks.has(lockNow) ? undefined : (lockAgain() ?? lockLostError(lockFile, lockNow)))
  }
  /** Returns why it failed, such as another process that has taken the lock. */
  const lockAgain = (): AppError | undefined => {
    try {
      const again = lockDatabase(file, driver)
      locks.set(fileIdentity(lockFile), again)
      return undefined
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  }
  const timer = setInterval(() => void check(), INTERVAL_MS).unref()
  return {
    release: () => {
      released = true
      clearInterval(timer)
      for (const held of locks.values()) held.release()
    },
  }
}

function lostError(change: string, hint: string): AppError {
  return new AppError('unavailable', `The database cannot be used: ${change}`, { hint })
}

function lockLostError(file: string, present: FileIdentity): AppError {
  const change = `${basename(file)} was ${present === undefined ? 'deleted' : 'replaced'}`
  return lostError(change, 'Put the file back, or restart the server')
}
