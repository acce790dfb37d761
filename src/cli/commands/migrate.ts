import { migratePostgres } from '../../store/postgres/migrate-postgres.ts'
import type { Migration } from '../../store/postgres/migrate-postgres.ts'
import { isPostgresUrl } from '../../store/postgres/connection/postgres-url.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { EXIT, exitCodes } from '../exit-code.ts'
import { loadConfig } from '../options/load-config.ts'

export const migrateCommand: CliCommand = {
  define: (command) => {
    command
      .option('--check', 'only print whether a migration is needed')
      .addHelpText(
        'after',
        `
Brings the schema of a Postgres database to this release of agentserver, before its first server starts. Servers of the
release before continue to work on it. Processes that migrate at the same time wait for each other.

The user of the URL creates the schema and its tables, and owns them: the user of the servers is that user, or a member
of its role. A SQLite database is migrated by the server that opens it.

${exitCodes({
  [EXIT.done]: 'the schema has the version of this release',
  [EXIT.failed]: '--check: a migration is needed; an unexpected error',
  [EXIT.usage]: 'invalid configuration; a server, schema or user that cannot be used',
  [EXIT.unreachable]: 'the database is unreachable, or rejects the password',
})}`,
      )
      .addHelpText(
        'after',
        examples(
          'migrate',
          'migrate --check',
          "DATABASE_URL='postgres://owner:password@db/shop' npx agentserver migrate",
        ).replace('agentserver DATABASE_URL', 'DATABASE_URL'),
      )
  },
  run: async (call) => {
    const { options, terminal } = call
    terminal.protectStdout()
    const { project, config } = await loadConfig(call)
    const { database: url } = config
    const check = options['check'] === true
    if (!isPostgresUrl(url)) {
      if (terminal.json) terminal.printValue({ changed: false })
      else terminal.print('Nothing to do: a SQLite database is migrated by the server that opens it.')
      return EXIT.done
    }
    const migration = await migratePostgres({ url, root: project.root, check })
    const { from, to } = migration
    if (terminal.json) terminal.printValue({ ...migration, changed: !check && from < to })
    else terminal.print(textOf(migration, check))
    return check && from < to ? EXIT.failed : EXIT.done
  },
}

function textOf({ schema, place, from, to }: Migration, check: boolean): string {
  const subject = `Schema "${schema}" of the database ${place}`
  if (from === to) return `${subject} is up to date (version ${to}).`
  const action = from === 0 ? 'created' : 'migrated'
  const versions = from === 0 ? `version ${to}` : `version ${from} to ${to}`
  return check ? `${subject} has to be ${action}: ${versions}.` : `${subject} was ${action}: ${versions}.`
}
