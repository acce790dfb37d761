import type { Command } from 'commander'
import { LOG_LEVELS } from '../../contract/endpoints/log.ts'
import type { LogLevel } from '../../contract/endpoints/log.ts'
import { systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { activeSpanIds } from '../../observability/logs/active-span-ids.ts'
import { ServerLogs } from '../../observability/logs/server-logs.ts'
import type { ServerLogsOptions } from '../../observability/logs/server-logs.ts'
import type { CommandCall } from '../command.ts'
import { jsonLogLines } from '../print/json-log-lines.ts'
import { LogLines } from '../print/log-lines.ts'

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
