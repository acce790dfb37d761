import { AppError } from '../../lib/errors.ts'
import { projectName } from '../../lib/packages/project-name.ts'
import { findProject } from '../../config/project.ts'
import { databaseFile } from '../../store/database-url.ts'
import { bossSchema } from '../../store/postgres/dispatch/job-queues.ts'
import {
  defaultSchema,
  isPostgresUrl,
  parsePostgresUrl,
} from '../../store/postgres/connection/postgres-url.ts'
import type { CommandCall } from '../command.ts'
import { loadConfig } from './load-config.ts'

export interface SqliteFileOptions {
  /** The URL that was passed. Default: that of the configuration. */
  readonly url: unknown
  /** The command for a Postgres database, given the options that select its schemas and its URL. */
  readonly postgresCommand: (schemas: string, url: string) => string
}

/**
 * The path of the SQLite database that a command copies.
 *
 * @throws AppError `invalid_input` for databases that are no files, with the command to use for Postgres.
 */
export async function sqliteFile(
  { options, terminal, lifetime }: CommandCall,
  { url: passed, postgresCommand }: SqliteFileOptions,
): Promise<string> {
  if (typeof passed === 'string' && passed.startsWith('file:')) return databaseFile(passed, process.cwd())
  const project = findProject({ cwd: process.cwd(), config: options.config })
  const url =
    typeof passed === 'string' ? passed : (await loadConfig({ options, terminal, lifetime })).config.database
  if (url.startsWith('file:')) return databaseFile(url, project.root)
  if (!isPostgresUrl(url))
    throw new AppError('invalid_input', `The database "${url}" is not a file`, {
      hint: 'Only a database in a file, "file:<path>", can be backed up and restored',
    })
  const { connectionString, schema = defaultSchema(projectName(project.root)) } = parsePostgresUrl(url)
  const plain = new URL(connectionString)
  // pg_dump asks for it, or takes PGPASSWORD
  plain.password = ''
  plain.searchParams.delete('password')
  const schemas = [schema, bossSchema(schema)].map((name) => `--schema=${name}`).join(' ')
  throw new AppError('invalid_input', 'The database is on Postgres, which has its own tools for that', {
    hint: postgresCommand(schemas, plain.href),
  })
}
