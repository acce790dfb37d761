import type { Client } from 'pg'
import { DatabaseSetupError } from '../connection/connection-error.ts'
import { POSTGRES_SCHEMA } from '../schema.ts'
import { POSTGRES_MIGRATIONS } from './migrations.ts'

/** The schema that a project uses. */
export interface ProjectSchema {
  /** A name that needs no quotes. */
  readonly schema: string
  /** Name of the project. Another project must not use its schema. */
  readonly project: string
  /** Name and host of the database, for messages. */
  readonly place: string
  /** Whether a history is moved to it: nothing else may use it before that is complete. */
  readonly movesHistory?: boolean
}

/** SQL by position: entry 0 results in schema version 1. */
export const POSTGRES_VERSIONS: readonly string[] = [POSTGRES_SCHEMA, ...POSTGRES_MIGRATIONS]

/** The schema version that this release reads and writes. */
export const POSTGRES_SCHEMA_VERSION = POSTGRES_VERSIONS.length

/** The table with a row for each version. Schemas without it are not ours. */
export const VERSIONS_TABLE = 'agentserver_migrations'

/** The row of each schema that a release has made, besides those of its versions. Earlier builds began with version 1. */
export const RELEASED = 0

/** The table of a schema to which a history is being moved. */
export const MOVE_TABLE = 'agentserver_move'

const CHOOSE_SCHEMA = 'Choose another schema with ?schema=… in the URL'

const INSUFFICIENT_PRIVILEGE = '42501'

/**
 * The version of a project's schema; 0 if it does not exist or is empty.
 *
 * @throws DatabaseSetupError if it belongs to another program or project, or was made by a later release, or by a build
 * from before the first one.
 */
export async function versionOfSchema(client: Client, target: ProjectSchema): Promise<number> {
  const { schema, project, place, movesHistory = false } = target
  const { rows } = await client.query<SchemaContents>(
    `SELECT count(*)::int AS tables, count(*) FILTER (WHERE relname = $2)::int AS own,
       count(*) FILTER (WHERE relname = $3)::int AS moving, min(pg_get_userbyid(nspowner)) AS owner
     FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1 AND relkind IN ('r', 'p', 'v', 'm', 'f')`,
    [schema, VERSIONS_TABLE, MOVE_TABLE],
  )
  const { tables, own, moving, owner } = rows[0] as SchemaContents
  if (tables === 0) return 0
  const found = `The schema "${schema}" of the database ${place}`
  if (own === 0) throw new DatabaseSetupError(`${found} belongs to another program`, CHOOSE_SCHEMA)
  const newest = await newestVersion(client, schema).catch((error: unknown) => {
    if (!isForbidden(error)) throw error
    throw new DatabaseSetupError(
      `${found} belongs to the user "${owner}", whose rights this user does not have`,
      `As an administrator: GRANT "${owner}" TO "${client.user}"`,
    )
  })
  if (newest.project !== project)
    throw new DatabaseSetupError(
      `${found} belongs to the project "${newest.project}"; this one is "${project}"`,
      CHOOSE_SCHEMA,
    )
  if (!newest.isReleased)
    throw new DatabaseSetupError(
      `${found} was not made by a released version of agentserver`,
      'Start with a new database, or another schema with ?schema=… in the URL: nothing of an unreleased version is carried over',
    )
  if (newest.version > POSTGRES_SCHEMA_VERSION)
    throw new DatabaseSetupError(
      `${found} was made by a later release, agentserver ${newest.release}: its version is ${newest.version}, and this release supports versions up to ${POSTGRES_SCHEMA_VERSION}`,
      `Install that release (npm install agentserver@${newest.release}), restore a dump from before the upgrade, or choose another schema with ?schema=… in the URL`,
    )
  if (moving > 0 && !movesHistory)
    throw new DatabaseSetupError(
      `${found} has an unfinished move of another database`,
      'Run the same `agentserver move` again: it continues where it stopped',
    )
  return newest.version
}

/** Whether a user does not have the right for a statement. */
export function isForbidden(error: unknown): boolean {
  return (error as { code?: unknown }).code === INSUFFICIENT_PRIVILEGE
}

interface SchemaContents {
  readonly tables: number
  readonly own: number
  readonly moving: number
  readonly owner: string | null
}

interface NewestVersion {
  readonly isReleased: boolean
  readonly version: number
  readonly release: string
  readonly project: string
}

async function newestVersion(client: Client, schema: string): Promise<NewestVersion> {
  const { rows } = await client.query<NewestVersion>(
    `SELECT version, release, project, (SELECT min(version) = ${RELEASED} FROM ${schema}.${VERSIONS_TABLE}) AS "isReleased"
     FROM ${schema}.${VERSIONS_TABLE} ORDER BY version DESC LIMIT 1`,
  )
  return rows[0] as NewestVersion
}
