import type { Command } from 'commander'
import { LOG_LEVELS } from '../../contract/endpoints/log.ts'
import type { LogLevel } from '../../contract/endpoints/log.ts'
import { systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { activeSpanIds } from '../../observability/logs/active-span-ids.ts'
import { ServerLogs } from '../../observability/logs/server-logs.ts'
import type { ServerLogsOptions } from '../../observability/logs/server-logs.ts'
import type { CommandCall } from '../command.ts'
import { LogLines } from '../print/log-lines.ts'
import { pino } from 'pino'
import { escapeJson } from '../../lib/escape-controls.ts'
import type { LogEntry } from '../../observability/logs/log-entry.ts'

const STDERR = 2

/** Prints log records to stderr as JSON lines with pino's field names. */
function jsonLogLines(): (entry: LogEntry) => void {
  const stderr = pino.destination({ dest: STDERR, sync: true })
  return (entry) => void stderr.write(`${jsonLogLine(entry)}\n`)
}

/** Field names of pino. */
const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'msg'])

/** Formats a record as one line of JSON, with control characters escaped. */
export function jsonLogLine({ level, timestamp, message, attributes, ...entry }: LogEntry): string {
  const { traceId, spanId, executionId } = entry
  const ids = {
    traceId: traceId ?? undefined,
    spanId: spanId ?? undefined,
    executionId: executionId ?? undefined,
  }
  const own = Object.entries(attributes).map(([key, value]) => [RESERVED.has(key) ? `${key}_` : key, value])
  const line = JSON.stringify({
    level,
    time: timestamp,
    ...ids,
    ...(Object.fromEntries(own) as object),
    msg: message,
  })
  return escapeJson(line)
}

const CHOICES = [...LOG_LEVELS, 'silent'] as const

/** Declares the log level option. */
export function logOption(command: Command): Command {
  return command.option(
    '--log-level <level>',
    `minimum log level: ${CHOICES.join(', ')} (default: LOG_LEVEL, info)`,
  )
}

/**
 * Opens the log of a server. It prints text in a terminal, JSON lines elsewhere.
 *
 * @throws AppError `invalid_config` for an unknown level.
 */
export function openLogs(call: CommandCall, root: string): ServerLogs {
  const print = call.terminal.stderr.isTTY
    ? new LogLines(call.terminal, { requests: true }).print
    : jsonLogLines()
  return serverLogs(call, root, print)
}

/** A server's log with the level of `--log-level`. Throws like openLogs. */
export function serverLogs(
  { options }: CommandCall,
  root: string,
  print: ServerLogsOptions['print'],
): ServerLogs {
  return new ServerLogs({
    root,
    level: logLevel(options),
    clock: systemClock,
    spanIds: activeSpanIds,
    print,
  })
}

/** The level of `--log-level`, else of LOG_LEVEL, else `info`. */
function logLevel(options: CommandCall['options']): LogLevel | 'silent' {
  return (
    parseLevel('--log-level', options['logLevel']) ??
    parseLevel('LOG_LEVEL', process.env['LOG_LEVEL']) ??
    'info'
  )
}

function parseLevel(name: string, value: unknown): LogLevel | 'silent' | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const wanted = value.trim().toLowerCase()
  const found = CHOICES.find((choice) => choice === wanted)
  if (found) return found
  throw new AppError('invalid_config', `${name}: "${value}" is not a log level`, {
    hint: `Available levels: ${CHOICES.join(', ')}`,
  })
}
