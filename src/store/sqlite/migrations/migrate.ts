import { AppError } from '../../../lib/errors.ts'
import type { Database } from '../driver.ts'
import { inTransaction } from '../transaction.ts'
import { MIGRATIONS } from './migrations.ts'

/** The schema version this code reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** The schema version of a database file; 0 for an empty one. */
export function schemaVersion(database: Database): number {
  return (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
}

/** Brings a database to schema version `target`, each migration in a transaction of its own. */
export function migrate(database: Database, target = SCHEMA_VERSION): void {
  const version = requireKnownVersion(database)
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < version || index >= target) continue
    inTransaction(database, () => {
      if (typeof migration === 'string') database.exec(migration)
      else migration(database)
      database.exec(`PRAGMA user_version = ${index + 1}`)
    })
  }
}

/** @throws AppError `unavailable` if the schema of a database that is opened read-only is not current. */
export function requireCurrentSchema(database: Database): void {
  const version = requireKnownVersion(database)
  if (version === SCHEMA_VERSION) return
  throw new AppError(
    'unavailable',
    `The database has schema version ${version}; this release reads version ${SCHEMA_VERSION}`,
    { hint: 'Start the server once: it migrates the database' },
  )
}

/**
 * The schema version of a database.
 *
 * @throws AppError `unavailable` if a later release has migrated it.
 */
export function requireKnownVersion(database: Database, subject = 'The database'): number {
  const version = schemaVersion(database)
  if (version <= SCHEMA_VERSION) return version
  throw new AppError(
    'unavailable',
    `${subject} has schema version ${version}; this release supports versions up to ${SCHEMA_VERSION}`,
    {
      hint: 'Update agentserver, restore a backup from before the upgrade (agentserver restore <file>), or point "database" at another file',
    },
  )
}
