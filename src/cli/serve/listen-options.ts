import type { Command } from 'commander'
import type { ServerConfig } from '../../config/config.ts'
import { AppError } from '../../lib/errors.ts'
import type { ConnectionLimits } from '../../server/http-server.ts'
import type { CommandCall } from '../command.ts'

/** Declares the options of commands that start a server. */
export function listenOptions(command: Command): Command {
  return command
    .option(
      '--port <port>',
      'port to listen on, 0 for any free port (default: PORT, the configuration, 3141)',
    )
    .option('--host <host>', 'address to listen on (default: HOST, the configuration, 127.0.0.1)')
    .option('--no-schedules', 'start no executions of schedules')
}

export interface ListenAddress {
  readonly port: number
  readonly host: string
  /** Whether an option, variable or the configuration sets the port. Otherwise `dev` may use another. */
  readonly portIsSet: boolean
  readonly limits: ConnectionLimits
}

/** The port and address in the configuration. */
export interface ConfiguredAddress {
  /** The port in the config file. Undefined if it sets none or failed to load. */
  readonly port: number | undefined
  readonly config: Pick<ServerConfig, 'port' | 'host' | 'limits'>
}

/**
 * The address to listen on: the option, else the variable PORT or HOST, else the configuration.
 *
 * @throws AppError `invalid_config` for an invalid port.
 */
export function listenAddress(
  options: CommandCall['options'],
  { port, config }: ConfiguredAddress,
): ListenAddress {
  const option = portOption(options)
  return {
    port: option ?? config.port,
    host: hostOption(options) ?? config.host,
    portIsSet: option !== undefined || port !== undefined,
    limits: config.limits,
  }
}

/** The address of `--host` or HOST. */
export function hostOption(options: CommandCall['options']): string | undefined {
  return textOf(options['host']) ?? textOf(process.env['HOST'])
}

/** The port of `--port` or PORT. */
export function portOption(options: CommandCall['options']): number | undefined {
  return parsePort('--port', options['port']) ?? parsePort('PORT', process.env['PORT'])
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

function parsePort(name: string, value: unknown): number | undefined {
  const text = textOf(value)
  if (text === undefined) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new AppError('invalid_config', `${name}: "${text}" is not a port`, {
    hint: 'Use a number from 0 to 65535.',
  })
}
