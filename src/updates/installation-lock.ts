import path from 'node:path'
import { DATA_DIRECTORY } from '../lib/files/private-files.ts'
import { takeFileLock } from '../store/sqlite/file-lock.ts'
import type { FileLock } from '../store/sqlite/file-lock.ts'
import { InstallBackup } from './install-backup.ts'

/** The maximum time of an installation. */
export const INSTALL_TIMEOUT_MS = 10 * 60_000

/** Locks the project for an installation. Undefined while another one is running. */
export function holdInstallation(directory: string): FileLock | undefined {
  return takeFileLock(path.join(directory, DATA_DIRECTORY, 'install-lock'))
}

/** Restores the files of an installation whose process was killed. */
export function undoKilledInstallation(directory: string): void {
  const backup = new InstallBackup(directory)
  if (!backup.exists) return
  const lock = holdInstallation(directory)
  if (!lock) return
  try {
    backup.restoreAfterKill(INSTALL_TIMEOUT_MS)
  } finally {
    lock.release()
  }
}
