import { Option } from 'commander'
import type { LogRecord } from '../../contract/endpoints/log.ts'
import { LOG_LEVELS, LOG_PAGE } from '../../contract/endpoints/log.ts'
import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { followLogs } from '../logs/follow-logs.ts'
import { logQuery } from '../logs/log-query.ts'
import { logLine, printedRecord } from '../print/log-lines.ts'

/** Lines that a terminal is shown before it waits for new ones. */
const LINES_TO_FOLLOW = '20'

export const logs: CliCommand = {
  define: (command) => {
    command
      .option('-f, --follow', 'go on with what is logged from now on')
      .addOption(new Option('--level <level>', 'this level and graver ones').choices(LOG_LEVELS))
      .option('--execution <id>', 'of this execution')
      .option('--trace <id>', 'of this trace')
      .option('--workflow <id>', "of this workflow's executions")
      .option('--agent <id>', "of this agent's answers")
      .option('--since <when>', 'from this ISO 8601 instant on, or from so long ago: 30s, 10m, 2h, 7d')
      .option('--until <when>', 'before this instant')
      .option('--search <words>', 'with these words')
      .option(
        '--limit <n>',
        `the newest so many (default: ${LOG_PAGE.defaultLimit}; with -f ${LINES_TO_FOLLOW})`,
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
    const { options, terminal } = call
    const query = logQuery(options, Date.now())
    if (options['follow'] === true) {
      const print = printerFor(call)
      const { limit = LINES_TO_FOLLOW } = query
      for await (const record of followLogs(call, { ...query, limit })) print(record)
    }
    const { client } = await connect(call, { readOnly: true })
    const records = await client.listLogs({ query })
    if (terminal.json) terminal.printValue(records)
    else printAll(records, { call, limit: Number(query.limit ?? LOG_PAGE.defaultLimit) })
    return EXIT.done
  },
}

/** The newest stands last, next to the prompt. */
function printAll(
  records: readonly LogRecord[],
  { call, limit }: { call: CommandCall; limit: number },
): void {
  const { terminal } = call
  if (records.length === 0) return terminal.note('Nothing was logged.')
  if (records.length === limit && limit < LOG_PAGE.maxLimit)
    terminal.note(terminal.notePaint.dim(`There may be older ones: --limit ${LOG_PAGE.maxLimit}`))
  for (const record of records.toReversed()) printerFor(call)(record)
}

function printerFor({ terminal }: CommandCall): (record: LogRecord) => void {
  if (terminal.json) return (record) => terminal.printLine(record)
  return (record) => terminal.print(logLine(printedRecord(record), terminal.paint))
}
