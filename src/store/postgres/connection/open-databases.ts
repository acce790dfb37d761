import type { Client } from 'pg'
import type { AppError } from '../../../lib/errors.ts'
import { projectName } from '../../../lib/packages/project-name.ts'
import { migrateSchema, requireMigrated } from '../migrations/migrate-schema.ts'
import { DatabaseSetupError } from './connection-error.ts'
import type { Drivers } from './load-drivers.ts'
import { PostgresDatabases } from './postgres-databases.ts'
import { defaultSchema, parsePostgresUrl } from './postgres-url.ts'

export interface OpenDatabasesOptions {
  readonly url: string
  /** The project's directory. Its package is the name of the schema, unless the URL has one. */
  readonly root: string
  /** Brings the schema to this release. Otherwise another version is an error. */
  readonly migrate: boolean
  /** Keeps trying when the database can't be reached. Otherwise that is an error. */
  readonly retry: boolean
  readonly onHealth: (problem: AppError | undefined) => void
  /** Called when the schema can be used, before the pools are open. */
  readonly onReached?: (client: Client) => Promise<void>
}

/**
 * Connects to the database of a project.
 *
 * @throws AppError `invalid_config` for a URL that is not valid, and DatabaseSetupError for a database that somebody has
 * to change first. With `retry` a database that can't be reached is a problem of its health.
 */
export async function openDatabases(
  { pg, pgBoss }: Drivers,
  options: OpenDatabasesOptions,
): Promise<PostgresDatabases> {
  const { root, migrate, retry, onHealth, onReached } = options
  const url = parsePostgresUrl(options.url)
  const project = projectName(root)
  const schema = url.schema ?? defaultSchema(project)
  const databases = new PostgresDatabases({
    pg,
    url,
    schema,
    onHealth,
    prepare: async (client, { place, createPool }) => {
      const target = { schema, project, place }
      if (migrate) await migrateSchema(target, { client, pgBoss, createPool })
      else await requireMigrated(client, target)
      await onReached?.(client)
    },
  })
  try {
    await databases.open()
  } catch (error) {
    if (!retry || error instanceof DatabaseSetupError) {
      await databases.close()
      throw error
    }
    databases.health.failed(error as AppError)
  }
  return databases
}
