import { Option } from 'commander'
import type { LogRecord } from '../../contract/endpoints/log.ts'
import { LOG_LEVELS, LOG_PAGE } from '../../contract/endpoints/log.ts'
import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { noteUnknownName } from '../error-hints.ts'
import { followLogs } from '../logs/follow-logs.ts'
import { logQuery } from '../logs/log-query.ts'
import { logLine, fromRecord } from '../print/log-lines.ts'

/** The number of existing records that --follow prints first. */
const FOLLOW_LIMIT = '20'

export const logs: CliCommand = {
  define: (command) => {
    command
      .option('-f, --follow', 'print new records as they are logged')
      .addOption(new Option('--level <level>', 'minimum log level').choices(LOG_LEVELS))
      .option('--execution <id>', 'records of this execution')
      .option('--trace <id>', 'records of this trace')
      .option('--workflow <id>', 'records of this workflow')
      .option('--agent <id>', 'records of this agent')
      .option('--since <when>', 'records since an ISO 8601 time, or a duration ago: 30s, 10m, 2h, 7d')
      .option('--until <when>', 'records before an ISO 8601 time, or a duration ago')
      .option('--search <words>', 'records that contain this text')
      .option(
        '--limit <n>',
        `number of records, newest first (default: ${LOG_PAGE.defaultLimit}; with --follow: ${FOLLOW_LIMIT}; at most ${LOG_PAGE.maxLimit})`,
      )
      .addHelpText(
        'after',
        examples(
          'logs',
          'logs -f --level warn',
          'logs --execution <id>',
          'logs --since 10m --search timeout',
        ),
      )
  },
  run: async (call) => {
    const { options, terminal, lifetime } = call
    const query = logQuery(options, Date.now())
    if (options['follow'] === true) {
      lifetime.interruptIsReported = true
      const print = printerFor(call)
      const { limit = FOLLOW_LIMIT } = query
      for await (const record of followLogs(call, { ...query, limit })) print(record)
    }
    const { client } = await connect(call, { readOnly: true })
    const records = await client.listLogs({ query })
    if (terminal.json) terminal.printValue(records)
    else printAll(records, { call, limit: Number(query.limit ?? LOG_PAGE.defaultLimit) })
    const { workflow: workflows, agent: agents } = options as Record<string, string | undefined>
    if (records.length === 0 && !terminal.json) await noteUnknownName(terminal, { workflows, agents }, client)
    return EXIT.done
  },
}

/** Prints the records oldest first, so that the newest is next to the prompt. */
function printAll(
  records: readonly LogRecord[],
  { call, limit }: { call: CommandCall; limit: number },
): void {
  const { terminal } = call
  if (records.length === 0) return terminal.note('No log records found.')
  if (records.length === limit && limit < LOG_PAGE.maxLimit)
    terminal.note(
      terminal.notePaint.dim(`More records may exist; raise --limit (at most ${LOG_PAGE.maxLimit})`),
    )
  for (const record of records.toReversed()) printerFor(call)(record)
}

function printerFor({ terminal }: CommandCall): (record: LogRecord) => void {
  if (terminal.json) return (record) => terminal.printLine(record)
  return (record) => terminal.print(logLine(fromRecord(record), terminal.paint))
}
