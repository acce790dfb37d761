import path from 'node:path'
import { takeFileLock } from '../store/sqlite/file-lock.ts'
import type { FileLock } from '../store/sqlite/file-lock.ts'
import { InstallBackup } from './install-backup.ts'

/** No installation takes longer. */
export const INSTALL_TIMEOUT_MS = 10 * 60_000

/** Makes this the only installation in the project; `undefined` while another one runs. */
export function holdInstallation(directory: string): FileLock | undefined {
  return takeFileLock(path.join(directory, '.agentserver', 'install-lock'))
}

/** Undoes an installation whose process was killed, if there is one. */
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
