import { AppError } from '../../../lib/errors.ts'
import { openDatabase } from '../driver.ts'
import { findDamage } from '../health/find-damage.ts'
import { requireKnownVersion } from '../migrations/migrate.ts'

/** What a backup has. */
export interface BackupContents {
  /** The version of its schema. */
  readonly version: number
  readonly executions: number
  readonly running: number
  readonly suspended: number
}

/**
 * Reads a whole copy of a database.
 *
 * @throws AppError `invalid_input` if it is damaged, of another program, or of a later release.
 */
export function checkCopy(file: string): BackupContents {
  const database = openDatabase(file)
  try {
    // takes in the WAL of a copy that was made of files
    database.exec('PRAGMA journal_mode = DELETE')
    const { own } = database
      .prepare(`SELECT total(name IN ('owner', 'executions')) AS own FROM sqlite_schema WHERE type = 'table'`)
      .get() as { own: number }
    if (own !== 2)
      throw new AppError('invalid_input', 'The file was not made by agentserver', {
        hint: 'Pass a file that `agentserver backup` has written',
      })
    const version = requireKnownVersion(database, 'The backup')
    const damage = findDamage(file)
    if (damage !== undefined)
      throw new AppError('invalid_input', `The file is damaged: ${damage}`, {
        hint: 'Use another backup, or copy what is readable: sqlite3 file.db ".recover" | sqlite3 recovered.db',
      })
    const counts = database
      .prepare(
        `SELECT count(*) AS executions, coalesce(sum(status = 'running'), 0) AS running,
          coalesce(sum(status = 'suspended'), 0) AS suspended FROM executions`,
      )
      .get() as Omit<BackupContents, 'version'>
    const { executions, running, suspended } = counts
    return { version, executions, running, suspended }
  } finally {
    database.close()
  }
}
