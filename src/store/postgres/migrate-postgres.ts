import { createDatabases } from './connection/create-databases.ts'
import { loadDrivers } from './connection/load-drivers.ts'
import { migrateSchema } from './migrations/migrate-schema.ts'
import { POSTGRES_SCHEMA_VERSION, versionOfSchema } from './migrations/version-of-schema.ts'

export interface MigratePostgresOptions {
  readonly url: string
  /** The project's directory. Its package names the schema, unless the URL does. */
  readonly root: string
  /** Only finds out what would be done. */
  readonly check: boolean
}

export interface Migration {
  readonly schema: string
  /** Name and host of the database. */
  readonly place: string
  /** The version before; 0 without tables. */
  readonly from: number
  /** The version of this release. */
  readonly to: number
}

/**
 * Brings the schema of a project to this release.
 *
 * @throws AppError as `openPostgresStore`.
 */
export async function migratePostgres({ url, root, check }: MigratePostgresOptions): Promise<Migration> {
  const drivers = await loadDrivers(root)
  let from = 0
  const databases = createDatabases(drivers, {
    url,
    root,
    prepare: async (client, target) => {
      const { createPool } = databases
      const { pgBoss } = drivers
      from = check
        ? await versionOfSchema(client, target)
        : await migrateSchema(target, { client, pgBoss, createPool })
    },
  })
  const { schema, place } = databases
  try {
    await databases.open()
  } finally {
    await databases.close()
  }
  return { schema, place, from, to: POSTGRES_SCHEMA_VERSION }
}
