import { isIP } from 'node:net'
import type { Logger } from 'pino'
import { legacyAuthNotice } from './legacy-auth.ts'
import type { LiveServer } from '../../server/live-server.ts'

type Access = Pick<LiveServer, 'config' | 'gate' | 'customRoutes'>

/** Tells an operator, once each, whom a server lets in that it perhaps should not, and whom it can not let in. */
export class AccessNotices {
  readonly #logger: Pick<Logger, 'warn'>
  readonly #told = new Set<string>()
  #host = ''

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger
  }

  /** `host` is the address that is listened on; it stays known. */
  tell(server: Access, host: string = this.#host): void {
    this.#host = host
    for (const notice of accessNotices(server, host)) {
      if (this.#told.has(notice)) continue
      this.#told.add(notice)
      this.#logger.warn(notice)
    }
  }
}

function accessNotices({ config, gate, customRoutes }: Access, host: string): string[] {
  if (!config || !gate) return []
  const { production } = gate
  const isOpen = !isLoopback(host)
  if (gate.policy.mode === 'none')
    return [
      ...(production
        ? ['No authentication is configured: every route is open to whoever reaches this server']
        : []),
      ...(isOpen
        ? [`Listening on ${host} without authentication: anyone on the network can run workflows`]
        : []),
    ]
  return [
    ...(config.authNext && config.auth ? ['Both authNext and auth are configured: auth has no effect'] : []),
    ...(config.auth && !config.authNext ? [legacyAuthNotice(config.auth, customRoutes)] : []),
    ...(production && !gate.hasConsoleKey
      ? ['SERVICE_CONSOLE_ACCESS_KEY is not set: routes that need the console key answer 401 to everyone']
      : []),
    ...(isOpen && !production
      ? [
          `Listening on ${host} outside production: whoever reaches this server can use the development bypass`,
        ]
      : []),
  ]
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
