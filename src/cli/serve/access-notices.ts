import { isIP } from 'node:net'
import type { Logger } from 'pino'
import type { Gate } from '../../auth/gate.ts'
import type { AuthProvider } from '../../contract/auth.ts'
import { CHANNELS } from '../../contract/channels.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { ENDPOINT_LIST } from '../../contract/index.ts'
import type { RouteTarget } from '../../contract/route-pattern.ts'
import type { LiveServer } from '../../server/live-server.ts'

type Access = Pick<LiveServer, 'config' | 'gate' | 'customRoutes'>

/** Logs warnings about the server's access rules, each once. */
export class AccessNotices {
  readonly #logger: Pick<Logger, 'warn'>
  readonly #logged = new Set<string>()
  #host = ''

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger
  }

  /** Logs new warnings. `host`, the address to listen on, is remembered for later calls. */
  update(server: Access, host: string = this.#host): void {
    this.#host = host
    for (const notice of accessNotices(server, host)) {
      if (this.#logged.has(notice)) continue
      this.#logged.add(notice)
      this.#logger.warn(notice)
    }
  }
}

function accessNotices({ config, gate, customRoutes }: Access, host: string): string[] {
  if (!config || !gate) return []
  const { production } = gate
  if (gate.policy.mode === 'none')
    return [
      ...(production ? ['No authentication is configured: all routes are public'] : []),
      ...(!isLoopback(host)
        ? [`Listening on ${host} without authentication: anyone on the network can run workflows`]
        : []),
      ...keyNotices(gate),
    ]
  return [
    ...(config.authNext && !config.authNext.authorize ? openDataNotices(gate) : []),
    ...(config.authNext && config.auth ? ['Both authNext and auth are configured: auth is ignored'] : []),
    ...(config.auth && !config.authNext ? [legacyAuthNotice(config.auth, customRoutes)] : []),
    ...(production && !gate.hasConsoleKey
      ? ['SERVICE_CONSOLE_ACCESS_KEY is not set: console routes respond with 401']
      : []),
    ...keyNotices(gate),
  ]
}

/** Routes with data of all users, without its owner, that the configuration opens to users. */
function openDataNotices({ policy }: Gate): string[] {
  const isOpen = (target: RouteTarget, endpoint?: Endpoint) => {
    const required = policy.requirement(target, endpoint)
    return required === 'user' || required === 'public'
  }
  const endpoints = ENDPOINT_LIST.flatMap(([, endpoint]) => {
    const { method, path, ofAllUsers } = endpoint
    const target = { method, path: path.replaceAll(/:\w+/g, 'id') }
    return ofAllUsers && isOpen(target, endpoint) ? [`${method} ${path}`] : []
  })
  const channels = Object.values(CHANNELS).flatMap(({ path }) => {
    const target = { method: 'WS', path: path.replace(/\/\*+$/, '') }
    return isOpen(target) ? [patternOf({ method: 'WS', path })] : []
  })
  const open = [...endpoints, ...channels]
  if (open.length === 0) return []
  return [
    `Every user can read data of all others, which names no owner: ${open.join(', ')}. ` +
      "Keep these routes in consoleRoutes, or decide about them in authNext.authorize (kind 'server' or 'eval')",
  ]
}

function keyNotices({ production, consoleKeyProblem }: Gate): string[] {
  if (!production || consoleKeyProblem === undefined) return []
  return [`${consoleKeyProblem}; create one with: openssl rand -hex 32`]
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** The deprecation notice for `auth`, with the equivalent `authNext` option. */
function legacyAuthNotice(provider: AuthProvider, ownRoutes: readonly RouteTarget[]): string {
  const own = provider.defaultPrivate === true ? [] : ownRoutes.map((route) => `'${patternOf(route)}'`)
  const publicRoutes = ['...DEFAULT_PUBLIC_ROUTES', ...own].join(', ')
  const name = provider.type === 'jwt' ? 'jwtAuth({ … })' : `<your ${provider.type} provider>`
  return `auth is deprecated. Replace it with authNext: { provider: ${name}, publicRoutes: [${publicRoutes}] }`
}

function patternOf({ method, path }: RouteTarget): string {
  const plain = path.replaceAll(/:(\w+)(?:\{[^}]*\})?\??/g, ':$1')
  return method === 'ALL' ? plain : `${method} ${plain}`
}
