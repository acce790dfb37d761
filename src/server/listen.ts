import type { Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { AppError } from '../lib/errors.ts'
import { createHttpServer } from './http-server.ts'
import type { ConnectionLimits, ServerHandlers } from './http-server.ts'

/** Options of `listen()`. */
export interface ListenOptions {
  /** Port to listen on; 0: a free one. */
  readonly port: number
  /** Address to listen on, such as `127.0.0.1`. */
  readonly host: string
  /** Use the next free port when this one is in use. */
  readonly nextFree?: boolean
  /** Limits of connections. */
  readonly limits: ConnectionLimits
}

/** Where the server listens. */
export interface Listening {
  /** Port that it listens on. */
  readonly port: number
  /** Address that it listens on. */
  readonly host: string
  /** URL of the server. */
  readonly url: string
  /** Stops accepting connections, waits up to `graceMs` for open requests, then closes their connections. */
  close(graceMs: number): Promise<void>
}

/** More projects than anyone runs at once. */
const MAX_PORTS_TRIED = 50
const SWEEP_MS = 50

/**
 * Starts to listen for HTTP requests and WebSocket handshakes.
 *
 * @throws AppError `conflict` when the port is in use, `invalid_config` when the address can't be bound.
 */
export async function listen(
  handlers: ServerHandlers,
  { port, host, nextFree = false, limits }: ListenOptions,
): Promise<Listening> {
  const server = createHttpServer(handlers, limits)
  for (let tried = 0; ; tried++) {
    try {
      await bind(server, port === 0 ? 0 : port + tried, host)
      break
    } catch (error) {
      if (!nextFree || !isInUse(error) || tried >= MAX_PORTS_TRIED) throw bindError(error, port, host)
    }
  }
  const address = server.address() as { port: number }
  return {
    port: address.port,
    host,
    url: `http://${displayHost(host)}:${address.port}`,
    close: (graceMs) => close(server, graceMs),
  }
}

function bind(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs)
    // closes connections whose last response ends from now on, instead of keeping them alive
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
    server.close(() => {
      clearTimeout(timer)
      clearInterval(sweep)
      resolve()
    })
    server.closeIdleConnections()
  })
}

function displayHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIPv6(host) ? `[${host}]` : host
}

function isInUse(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
}

function bindError(error: unknown, port: number, host: string): unknown {
  if (isInUse(error))
    return new AppError('conflict', `Port ${port} on ${host} is in use`, {
      cause: error,
      hint: `Stop the process that uses it, or choose another port with --port or PORT (0: any free port)`,
    })
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return new AppError('invalid_config', `Can't listen on ${host}:${port} (${code})`, {
      cause: error,
      hint: 'Choose another address with --host and --port',
    })
  return error
}
