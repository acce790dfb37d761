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

/** Declares the option of commands that keep a log. */
export function logOption(command: Command): Command {
  return command.option('--log-level <level>', `log this and what is graver: ${CHOICES.join(', ')}`)
}

/**
 * The log of a server: lines for people on a terminal, JSON elsewhere.
 *
 * @throws AppError `invalid_config` for a level that is none.
 */
export function openLogs(call: CommandCall, root: string): ServerLogs {
  const print = process.stderr.isTTY ? new LogLines(call.terminal, { requests: true }).print : jsonLogLines()
  return serverLogs(call, root, print)
}

/** A log at the level of `--log-level`, printed by `print`. Throws as openLogs does. */
export function serverLogs(
  { options }: CommandCall,
  root: string,
  print: ServerLogsOptions['print'],
): ServerLogs {
  return new ServerLogs({
    root,
    level: givenLevel(options),
    clock: systemClock,
    spanIds: activeSpanIds,
    print,
  })
}

/** The level of `--log-level`, else of the variable LOG_LEVEL, else `info`. */
export function givenLevel(options: CommandCall['options']): LogLevel | 'silent' {
  return level('--log-level', options['logLevel']) ?? level('LOG_LEVEL', process.env['LOG_LEVEL']) ?? 'info'
}

function level(name: string, value: unknown): LogLevel | 'silent' | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const wanted = value.trim().toLowerCase()
  const found = CHOICES.find((choice) => choice === wanted)
  if (found) return found
  throw new AppError('invalid_config', `${name}: "${value}" is not a log level`, {
    hint: `Levels are ${CHOICES.join(', ')}.`,
  })
}
