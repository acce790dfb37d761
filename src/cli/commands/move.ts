import { findProject } from '../../config/project.ts'
import { AppError } from '../../lib/errors.ts'
import { databaseFile } from '../../store/database-url.ts'
import { moveHistory } from '../../store/move/move-history.ts'
import type { MoveProgress, MoveResult } from '../../store/move/move-history.ts'
import { isPostgresUrl, maskPassword } from '../../store/postgres/connection/postgres-url.ts'
import { EnvFiles } from '../../config/env-files.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { EXIT, exitCodes } from '../exit-code.ts'
import { resolveMode } from '../options/load-config.ts'
import { ProgressLine } from '../print/progress-line.ts'

const HELP = `
Copies executions with their events and results, agent runs, conversations, logs and traces, then compares both sides.
The records in the file are not changed; a file of an earlier release gets the schema of this one, as at a start of the
server. Stop the server first: a file in use is refused. Running executions continue when a server
starts on the Postgres database; until the copy is complete, none starts there.

An interrupted move continues where it stopped: run the same command again. The target must be empty otherwise.
`

export const move: CliCommand = {
  define: (command) => {
    command
      .option('--from <url>', 'SQLite database (default: file:.agentserver/data.db)')
      .option('--to <url>', 'Postgres database (default: DATABASE_URL)')
      .option('--without-telemetry', 'leave out logs and traces')
      .addHelpText('after', HELP)
      .addHelpText(
        'after',
        `${examples(
          'move --to postgres://agents:password@db.example/agents',
          'move --from file:.agentserver/data.db --to "$DATABASE_URL" --without-telemetry',
        ).trimStart()}\n\n${exitCodes({
          [EXIT.done]: 'copied and compared',
          [EXIT.failed]: 'an unexpected error occurred',
          [EXIT.usage]: 'the file is in use or unknown, the target is not empty, or the copy differs',
          [EXIT.unreachable]: 'the database cannot be used',
          [EXIT.interrupted]: 'interrupted; the same command continues',
        })}`,
      )
  },
  run: async (call) => {
    const { options, terminal } = call
    const project = findProject({ cwd: process.cwd(), config: options.config })
    const { file, url } = addresses(call, project.root)
    const progress = new ProgressLine(terminal)
    try {
      const result = await moveHistory({
        file,
        url,
        root: project.root,
        telemetry: options['withoutTelemetry'] !== true,
        onProgress: (now) => progress.show(progressText(now)),
      })
      progress.stop()
      if (terminal.json) terminal.printValue(result)
      else terminal.print(summary(call, result, url))
      return EXIT.done
    } finally {
      progress.stop()
    }
  },
}

/** @throws AppError `invalid_input` if an address is missing or of another kind. */
function addresses({ options }: CommandCall, root: string): { file: string; url: string } {
  new EnvFiles({ root, mode: resolveMode(process.env, 'development') }).apply()
  const { from = 'file:.agentserver/data.db', to = process.env['DATABASE_URL'] ?? '' } = options as {
    readonly from?: string
    readonly to?: string
  }
  if (!from.startsWith('file:'))
    throw new AppError('invalid_input', `--from: "${maskPassword(from)}" is not a SQLite database`, {
      hint: 'Example: --from file:.agentserver/data.db',
    })
  if (!isPostgresUrl(to))
    throw new AppError(
      'invalid_input',
      to === '' ? 'Missing option: --to' : '--to is not the URL of a Postgres database',
      { hint: 'Example: --to postgres://user:password@host:5432/database, or set DATABASE_URL' },
    )
  return { file: databaseFile(from, root), url: to }
}

function progressText({ phase, part, rows, total }: MoveProgress): string {
  const verb = phase === 'copying' ? 'Copying' : 'Comparing'
  return `${verb} ${part.replaceAll('_', ' ')}: ${rows.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`
}

function summary(
  { terminal: { paint } }: CommandCall,
  { rows, continuedAt, migratedFrom }: MoveResult,
  url: string,
): string {
  const count = (name: string) => (rows[name] ?? 0).toLocaleString('en-US')
  const copied = [
    `${count('executions')} executions`,
    `${count('agent_runs')} agent runs`,
    `${count('conversations')} conversations`,
    ...(rows['logs'] === undefined ? [] : [`${count('logs')} log records`, `${count('traces')} traces`]),
  ]
  const continued =
    continuedAt > 0
      ? `\nContinued an interrupted move after ${continuedAt.toLocaleString('en-US')} rows.`
      : ''
  const migrated =
    migratedFrom === undefined
      ? ''
      : `\nThe file had schema version ${migratedFrom} and was brought to that of this release: earlier releases do not open it.`
  return `${paint.green('✓')} Copied ${copied.join(', ')} to ${maskPassword(url)}; both sides are equal.${continued}${migrated}
Set DATABASE_URL, remove \`database\` from the configuration, and start the server.`
}
