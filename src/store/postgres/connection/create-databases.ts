import type { Client } from 'pg'
import type { AppError } from '../../../lib/errors.ts'
import { projectName } from '../../../lib/packages/project-name.ts'
import type { ProjectSchema } from '../migrations/version-of-schema.ts'
import type { Drivers } from './load-drivers.ts'
import { PostgresDatabases } from './postgres-databases.ts'
import { defaultSchema, parsePostgresUrl } from './postgres-url.ts'

export interface CreateDatabasesOptions {
  readonly url: string
  /** The project's directory. Its package names the schema, unless the URL does. */
  readonly root: string
  /** Prepares the schema when the database has been reached, and again if that rejects. */
  readonly prepare: (client: Client, target: ProjectSchema) => Promise<void>
  readonly onHealth?: (problem: AppError | undefined) => void
}

/**
 * The connections to the database of a project, which are not open yet.
 *
 * @throws AppError `invalid_config` for a URL that is not valid.
 */
export function createDatabases({ pg }: Drivers, options: CreateDatabasesOptions): PostgresDatabases {
  const { root, prepare, onHealth = () => undefined } = options
  const url = parsePostgresUrl(options.url)
  const project = projectName(root)
  const schema = url.schema ?? defaultSchema(project)
  return new PostgresDatabases({
    pg,
    url,
    schema,
    onHealth,
    prepare: (client, { place }) => prepare(client, { schema, project, place }),
  })
}
