import path from 'node:path'
import { backUpDatabase } from '../../store/sqlite/backup/back-up-database.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { EXIT, exitCodes } from '../exit-code.ts'
import { sqliteFile } from '../options/sqlite-file.ts'
import { byteSize } from '../../lib/byte-size.ts'
import { ProgressLine } from '../print/progress-line.ts'
import { shellQuote } from '../print/shell-quote.ts'

const HELP = `
Copies everything that the server stores to one SQLite file: the state at one instant, also while a server runs. The file
appears when it is complete, checked and on disk; only its owner can read it. It contains inputs, results and prompts.

A Postgres database is backed up with pg_dump: the command prints how.
`

export const backup: CliCommand = {
  define: (command) => {
    command
      .argument('<file>', 'file to write')
      .option('--from <url>', 'SQLite database (default: that of the configuration)')
      .option('--force', 'replace an existing file')
      .addHelpText('after', HELP)
      .addHelpText(
        'after',
        `${examples('backup /var/backups/agents.db', 'backup copy.db --from file:.agentserver/data.db --force').trimStart()}\n\n${exitCodes(
          {
            [EXIT.done]: 'the backup is complete',
            [EXIT.failed]: 'an unexpected error occurred',
            [EXIT.usage]: 'the file exists, or the database is missing, damaged or not a file',
            [EXIT.unreachable]: 'the database cannot be read, or the file cannot be written',
            [EXIT.interrupted]: 'interrupted; there is no backup',
          },
        )}`,
      )
  },
  run: async (call) => {
    const { args, options, terminal, lifetime } = call
    terminal.protectStdout()
    const file = path.resolve(args[0] ?? '')
    const database = await sqliteFile(call, {
      url: options['from'],
      postgresCommand: (schemas, url) =>
        `pg_dump --format=custom ${schemas} --file=${shellQuote(file)} ${shellQuote(url)}`,
    })
    const abort = new AbortController()
    lifetime.onInterrupt(() => abort.abort())
    const progress = new ProgressLine(terminal)
    try {
      const work = backUpDatabase({
        database,
        file,
        force: options['force'] === true,
        signal: abort.signal,
        onProgress: ({ phase, bytes, total }) =>
          progress.show(
            phase === 'checking'
              ? 'Checking the copy'
              : `Copying: ${byteSize(bytes)} of about ${byteSize(total)}`,
          ),
      })
      // an interrupted one deletes its files
      lifetime.defer(async () => void (await Promise.allSettled([work])))
      const result = await work
      progress.stop()
      const { executions, bytes, source } = result
      const rescued = source === database ? '' : `\n${database} is missing; this is a copy of ${source}.`
      if (terminal.json) terminal.printValue({ file, ...result })
      else
        terminal.print(
          `${terminal.paint.green('✓')} Wrote ${file}: ${executions.toLocaleString('en-US')} executions, ${byteSize(bytes)}.${rescued}`,
        )
      return EXIT.done
    } finally {
      progress.stop()
    }
  },
}
