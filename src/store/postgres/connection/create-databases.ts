import type { Client } from 'pg'
import type { AppError } from '../../../lib/errors.ts'
import { projectName } from '../../../lib/packages/project-name.ts'
import { migrateSchema, requireMigrated } from '../migrations/migrate-schema.ts'
import type { Drivers } from './load-drivers.ts'
import { PostgresDatabases } from './postgres-databases.ts'
import { defaultSchema, parsePostgresUrl } from './postgres-url.ts'

export interface CreateDatabasesOptions {
  readonly url: string
  /** The project's directory. Its package names the schema, unless the URL does. */
  readonly root: string
  /** Brings the schema to this release. Otherwise another version is an error. */
  readonly migrate: boolean
  readonly onHealth: (problem: AppError | undefined) => void
  /** Called when the schema can be used, before the pools are open, and again if it rejects. */
  readonly onReached?: (client: Client) => Promise<void>
}

/**
 * The connections to the database of a project, which are not open yet.
 *
 * @throws AppError `invalid_config` for a URL that is not valid.
 */
export function createDatabases({ pg, pgBoss }: Drivers, options: CreateDatabasesOptions): PostgresDatabases {
  const { root, migrate, onHealth, onReached } = options
  const url = parsePostgresUrl(options.url)
  const project = projectName(root)
  const schema = url.schema ?? defaultSchema(project)
  return new PostgresDatabases({
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
}
