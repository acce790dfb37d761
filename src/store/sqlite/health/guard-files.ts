import { basename } from 'node:path'
import { AppError } from '../../../lib/errors.ts'
import type { DriverName } from '../driver.ts'
import { lockDatabase, lockFileOf } from '../file-lock.ts'
import type { FileLock } from '../file-lock.ts'
import type { DatabaseHealth } from './database-health.ts'
import { watchFiles } from './watch-files.ts'
import type { LostFile } from './watch-files.ts'

interface GuardOptions {
  readonly driver: DriverName
  readonly lock: FileLock
  readonly health: DatabaseHealth
}

/**
 * Refuses writes while the files of an open database are deleted or replaced, and takes its lock again when the lock
 * file is. Returns the lock that is held then, whose release also ends the checks.
 */
export function guardFiles(file: string, { driver, lock, health }: GuardOptions): FileLock {
  const locks = [lock]
  const lockFile = lockFileOf(file)
  const stopData = watchFiles([file, `${file}-wal`], (lost) =>
    health.setLost('data', lost && lostError(lost)),
  )
  const watchLock = () =>
    watchFiles([lockFile], (lost) => {
      health.setLost('lock', lost && lostError(lost))
      if (lost) relock()
    })
  let stopLock = watchLock()
  const relock = () => {
    try {
      locks.push(lockDatabase(file, driver))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      health.setLost('lock', error)
      return
    }
    stopLock()
    stopLock = watchLock()
  }
  return {
    release: () => {
      stopData()
      stopLock()
      for (const held of locks) held.release()
    },
  }
}

function lostError({ file, change }: LostFile): AppError {
  return new AppError('unavailable', `The database cannot be used: ${basename(file)} was ${change}`, {
    hint: 'Put the file back, or restart the server to continue with the present one',
  })
}
