import { AppError } from '../../../lib/errors.ts'
import type { Database } from '../driver.ts'
import { SQLITE_SCHEMA } from '../schema.ts'
import { inTransaction } from '../transaction.ts'
import { SQLITE_MIGRATIONS } from './migrations.ts'
import type { SqliteMigration } from './migrations.ts'

const VERSIONS: readonly SqliteMigration[] = [SQLITE_SCHEMA, ...SQLITE_MIGRATIONS]

/** The schema version this code reads and writes. */
export const SCHEMA_VERSION = VERSIONS.length

/** In the header of each database of a release: the letters agsv. Builds from before the first release have left it 0. */
const APPLICATION_ID = 0x61_67_73_76

/** Brings a database to the schema of this release, each version in a transaction of its own. */
export function migrate(database: Database): void {
  const version = requireKnownVersion(database)
  for (const [index, step] of VERSIONS.entries()) {
    if (index < version) continue
    inTransaction(database, () => {
      if (typeof step === 'string') database.exec(step)
      else step(database)
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${index + 1}`)
    })
  }
}

/** @throws AppError `unavailable` if the schema of a database that is opened read-only is not current. */
export function requireCurrentSchema(database: Database, subject: string): void {
  const version = requireKnownVersion(database, subject)
  if (version === SCHEMA_VERSION) return
  throw new AppError(
    'unavailable',
    `${subject} has schema version ${version}; this release reads version ${SCHEMA_VERSION}`,
    { hint: 'Start the server once: it migrates the database' },
  )
}

/**
 * The schema version of a database; 0 for an empty one.
 *
 * @throws AppError `unavailable` if a build from before the first release has made it, or a later release has migrated it.
 */
export function requireKnownVersion(database: Database, subject = 'The database'): number {
  const { version, id, contents } = database.prepare(IDENTITY).get() as Identity
  if (contents > 0 && id !== APPLICATION_ID)
    throw new AppError('unavailable', `${subject} was not made by a released version of agentserver`, {
      hint: 'Start with a new database file: nothing of an unreleased version is carried over',
    })
  if (version <= SCHEMA_VERSION) return version
  throw new AppError(
    'unavailable',
    `${subject} has schema version ${version}; this release supports versions up to ${SCHEMA_VERSION}`,
    {
      hint: 'Update agentserver, restore a backup from before the upgrade (agentserver restore <file>), or point "database" at another file',
    },
  )
}

const IDENTITY = `SELECT user_version AS version, application_id AS id, (SELECT count(*) FROM sqlite_schema) AS contents
  FROM pragma_user_version, pragma_application_id`

interface Identity {
  readonly version: number
  readonly id: number
  /** How many tables, indexes and triggers it has. */
  readonly contents: number
}
