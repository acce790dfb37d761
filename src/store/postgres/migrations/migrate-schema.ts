import type { Client, Pool } from 'pg'
import { VERSION } from '../../../lib/packages/own-package.ts'
import { DatabaseSetupError } from '../connection/connection-error.ts'
import { SILENT } from '../../store-logger.ts'
import type { StoreLogger } from '../../store-logger.ts'
import { migrateJobs } from '../dispatch/migrate-jobs.ts'
import type { BossPackage } from '../dispatch/create-boss.ts'
import { bossSchema } from '../dispatch/job-queues.ts'
import {
  isForbidden,
  POSTGRES_SCHEMA_VERSION,
  POSTGRES_VERSIONS,
  RELEASED,
  versionOfSchema,
  VERSIONS_TABLE,
} from './version-of-schema.ts'
import type { ProjectSchema } from './version-of-schema.ts'

export interface MigrationDeps {
  readonly client: Client
  readonly pgBoss: BossPackage
  /** Gets a line before and after. Default: nothing is logged. */
  readonly logger?: Pick<StoreLogger, 'info'>
  /** Creates a pool of at most `max` connections, which its caller ends. */
  readonly createPool: (max: number) => Pool
}

/** The first of the two numbers of the lock; the second one is made from the schema's name. */
const LOCK = 7_203_118
/** Longer than any migration: a limit there is, so that a lost connection is noticed. */
const TIMEOUT_MS = 86_400_000

/**
 * Brings a project's schema and that of pg-boss to the version of this release. Processes that do it at the same time
 * wait for each other. Returns the version before.
 *
 * @throws DatabaseSetupError as `versionOfSchema`, and if the user may not create the schema.
 */
export async function migrateSchema(
  target: ProjectSchema,
  { client, pgBoss, createPool, logger = SILENT }: MigrationDeps,
): Promise<number> {
  const version = await versionOfSchema(client, target)
  if (version === POSTGRES_SCHEMA_VERSION) return version
  const startedAt = performance.now()
  const subject = `the schema "${target.schema}" of the database ${target.place}`
  if (version > 0)
    logger.info(
      `Migrating ${subject} from version ${version} to ${POSTGRES_SCHEMA_VERSION}, ${POSTGRES_SCHEMA_VERSION - version} steps`,
    )
  await inLockedTransaction(client, target, () => createSchemas(client, target))
  const pool = createPool(1)
  try {
    await migrateJobs({ pgBoss, pool, schema: target.schema })
  } finally {
    await pool.end()
  }
  // the last part: its version shows that all of it is done
  await inLockedTransaction(client, target, () => runMigrations(client, target))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  if (version > 0)
    logger.info(`Migrated ${subject} in ${seconds} s: it has version ${POSTGRES_SCHEMA_VERSION} now`)
  return version
}

/** @throws DatabaseSetupError as `versionOfSchema`, and if the schema does not exist or is of an earlier release. */
export async function requireMigrated(client: Client, target: ProjectSchema): Promise<void> {
  const version = await versionOfSchema(client, target)
  if (version === POSTGRES_SCHEMA_VERSION) return
  const { schema, place } = target
  const hint = 'Run `agentserver migrate`'
  if (version === 0)
    throw new DatabaseSetupError(`The schema "${schema}" of the database ${place} has no tables yet`, hint)
  throw new DatabaseSetupError(
    `The schema "${schema}" of the database ${place} has version ${version}; this release needs ${POSTGRES_SCHEMA_VERSION}`,
    hint,
  )
}

async function inLockedTransaction(
  client: Client,
  { schema }: ProjectSchema,
  work: () => Promise<void>,
): Promise<void> {
  await client.query(`BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL search_path = ${schema}`)
  try {
    await run(client, `SELECT pg_advisory_xact_lock(${LOCK}, hashtext('${schema}'))`)
    await work()
    await client.query('COMMIT')
  } catch (error) {
    // if the connection is lost, so is the transaction
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

async function runMigrations(client: Client, target: ProjectSchema): Promise<void> {
  const version = await versionOfSchema(client, target)
  const record = (number: number) =>
    client.query(`INSERT INTO ${VERSIONS_TABLE} (version, release, project) VALUES ($1, $2, $3)`, [
      number,
      VERSION,
      target.project,
    ])
  if (version === 0) {
    await client.query(
      `CREATE TABLE ${VERSIONS_TABLE} (
        version int PRIMARY KEY, release text NOT NULL, project text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    )
    await record(RELEASED)
  }
  for (const [index, step] of POSTGRES_VERSIONS.entries()) {
    if (index < version) continue
    await run(client, step)
    await record(index + 1)
  }
}

/** Creates the schemas of the project and of pg-boss, unless an administrator has made them for this user. */
async function createSchemas(client: Client, { schema, place }: ProjectSchema): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) AS name WHERE to_regnamespace(name) IS NULL`,
    [[schema, bossSchema(schema)]],
  )
  try {
    for (const { name } of rows) await client.query(`CREATE SCHEMA ${name}`)
  } catch (error) {
    if (!isForbidden(error)) throw error
    const { user, database } = client
    throw new DatabaseSetupError(
      `The user "${user}" may not create the schema "${schema}" in the database ${place}`,
      `As an administrator: GRANT CREATE ON DATABASE "${database}" TO "${user}"; or run \`agentserver migrate\` with the URL of a user who may create it, and GRANT that user to "${user}"`,
    )
  }
}

async function run(client: Client, text: string): Promise<void> {
  await client.query({ text, query_timeout: TIMEOUT_MS } as { text: string })
}
