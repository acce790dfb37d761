import path from 'node:path'
import { restoreDatabase } from '../../store/sqlite/backup/restore-database.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { EXIT, exitCodes } from '../exit-code.ts'
import { sqliteFile } from '../options/sqlite-file.ts'
import { ProgressLine } from '../print/progress-line.ts'
import { shellQuote } from '../print/shell-quote.ts'

const HELP = `
Stop the server first: a database in use is refused. The database of before is kept beside the restored one, with the
time in its name. A backup of an earlier release is migrated at the next start of the server.

Executions that were running continue at the next start as after a crash: steps that ended after the backup run again.
A Postgres database is restored with pg_restore: the command prints how.
`

export const restore: CliCommand = {
  define: (command) => {
    command
      .argument('<file>', 'file that `agentserver backup` has written')
      .option('--to <url>', 'SQLite database (default: that of the configuration)')
      .addHelpText('after', HELP)
      .addHelpText(
        'after',
        `${examples('restore /var/backups/agents.db', 'restore copy.db --to file:.agentserver/data.db').trimStart()}\n\n${exitCodes(
          {
            [EXIT.done]: 'restored',
            [EXIT.failed]: 'an unexpected error occurred',
            [EXIT.usage]:
              'the database is in use or not a file; the backup is damaged, foreign or of a later release',
            [EXIT.unreachable]: 'a file cannot be read or written, or another program reads the database',
            [EXIT.interrupted]: 'interrupted; the database is unchanged',
          },
        )}`,
      )
  },
  run: async (call) => {
    const { args, options, terminal, lifetime } = call
    terminal.protectStdout()
    const file = path.resolve(args[0] ?? '')
    const database = await sqliteFile(call, {
      url: options['to'],
      postgresCommand: (schemas, url) =>
        `pg_restore --clean --if-exists ${schemas} --dbname=${shellQuote(url)} ${shellQuote(file)}`,
    })
    const abort = new AbortController()
    lifetime.onInterrupt(() => abort.abort())
    const progress = new ProgressLine(terminal)
    try {
      progress.show('Copying and checking the backup')
      const work = restoreDatabase({ file, database, signal: abort.signal })
      // an interrupted one deletes its files
      lifetime.defer(async () => void (await Promise.allSettled([work])))
      const result = await work
      progress.stop()
      if (terminal.json) terminal.printValue({ database, ...result })
      else {
        const { executions, running, suspended, previous } = result
        const kept = previous === undefined ? '' : `\nThe previous database is ${previous}.`
        terminal.print(
          `${terminal.paint.green('✓')} Restored ${database}: ${executions.toLocaleString('en-US')} executions, ${running} running, ${suspended} suspended.${kept}`,
        )
      }
      return EXIT.done
    } finally {
      progress.stop()
    }
  },
}
