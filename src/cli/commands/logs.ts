import { Option } from 'commander'
import { LOG_LEVELS, LOG_PAGE } from '../../contract/endpoints/log.ts'
import type { LogRecord, LogLevel, LogQuery } from '../../contract/endpoints/log.ts'
import { toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { connect } from '../connect/connect.ts'
import { noteUnknownName } from '../error-hints.ts'
import { EXIT } from '../exit-code.ts'
import { followLogs } from '../logs/follow-logs.ts'
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
          'logs --execution order-A-1',
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

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Builds the query from the options of `logs`.
 *
 * @throws AppError `invalid_input` for an invalid time.
 */
function logQuery(options: CommandCall['options'], now: number): LogQuery {
  const values = options as Readonly<Record<string, string | undefined>>
  const { level, execution, trace, workflow, agent, since, until, search, limit } = values
  return {
    level: level as LogLevel | undefined,
    executionId: execution,
    traceId: trace,
    workflowId: workflow,
    agentId: agent,
    since: timeOf('--since', since, now),
    until: timeOf('--until', until, now),
    q: search,
    limit,
  }
}

/** Parses an ISO 8601 time, or a duration before `now`. */
function timeOf(option: string, text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined
  const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (amount !== undefined) return toIso(now - Number(amount) * (UNITS[unit] ?? 0))
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return toIso(Date.parse(text))
  throw new AppError('invalid_input', `${option}: "${text}" is not a valid time or duration`, {
    hint: `Examples: ${option} 10m, ${option} 2h, ${option} 2026-01-31T08:00:00Z`,
  })
}
