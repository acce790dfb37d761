import path from 'node:path'
import { takeLock } from '../lib/files/owner-lock.ts'
import { InstallBackup } from './install-backup.ts'

/** No installation takes longer. */
export const INSTALL_TIMEOUT_MS = 10 * 60_000

/** Makes this the project's only installation; gives nothing while there is another. */
export function holdInstallation(directory: string): (() => void) | undefined {
  const file = path.join(directory, '.agentserver', 'install.lock')
  return takeLock({ file, maxHeldMs: INSTALL_TIMEOUT_MS * 2 })
}

/** Undoes an installation whose process was killed, if there is one. */
export function undoKilledInstallation(directory: string): void {
  const backup = new InstallBackup(directory)
  if (!backup.exists) return
  const release = holdInstallation(directory)
  if (!release) return
  try {
    backup.restoreAfterKill(INSTALL_TIMEOUT_MS)
  } finally {
    release()
  }
}
