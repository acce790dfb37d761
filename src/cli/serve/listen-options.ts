import type { Command } from 'commander'
import type { ServerConfig } from '../../config/config.ts'
import { AppError } from '../../lib/errors.ts'
import type { ConnectionLimits } from '../../server/http-server.ts'
import type { CommandCall } from '../command.ts'

/** Declares the options of commands that listen. */
export function listenOptions(command: Command): Command {
  return command
    .option('--port <port>', 'listen on this port; 0 takes any free one')
    .option('--host <host>', 'listen on this address')
}

export interface ListenAddress {
  readonly port: number
  readonly host: string
  /** Somebody chose the port: another would not do. */
  readonly portAsked: boolean
  readonly limits: ConnectionLimits
}

/** What is known of the configuration when the server begins to listen. */
export interface ConfiguredAddress {
  /** As the config file has it; none when it leaves the port open or could not be loaded. */
  readonly port: number | undefined
  readonly config: Pick<ServerConfig, 'port' | 'host' | 'limits'>
}

/**
 * Where to listen: the option, else the variable PORT or HOST, else what the configuration says.
 *
 * @throws AppError `invalid_config` for a port that is none.
 */
export function listenAddress(
  options: CommandCall['options'],
  { port, config }: ConfiguredAddress,
): ListenAddress {
  const asked = givenPort(options)
  return {
    port: asked ?? config.port,
    host: givenHost(options) ?? config.host,
    portAsked: asked !== undefined || port !== undefined,
    limits: config.limits,
  }
}

/** The address of `--host` or HOST. */
export function givenHost(options: CommandCall['options']): string | undefined {
  return given(options['host']) ?? given(process.env['HOST'])
}

/** The port of `--port` or PORT. */
export function givenPort(options: CommandCall['options']): number | undefined {
  return portOf('--port', options['port']) ?? portOf('PORT', process.env['PORT'])
}

function given(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

function portOf(name: string, value: unknown): number | undefined {
  const text = given(value)
  if (text === undefined) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new AppError('invalid_config', `${name}: "${text}" is not a port`, {
    hint: 'A port is a number from 0 to 65535.',
  })
}
