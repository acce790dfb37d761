import { isIP } from 'node:net'
import { AppError } from '../lib/errors.ts'
import { hostName, isLoopback } from '../lib/host-name.ts'
import { isOnThisMachine } from './local-peer.ts'
import type { PeerSocket } from './local-peer.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** What a configuration trusts in addition to loopback hosts and the server's own origin. */
export interface TrustedOrigins {
  readonly allowedHosts: readonly string[]
  /** `cors.origins`: exact origins, such as `https://app.example`. */
  readonly origins: readonly string[]
}

/**
 * Protects a server without authentication from web pages of other sites. Refuses hosts that are not local or
 * allowed (DNS rebinding), and unsafe methods and WebSocket handshakes from other origins. Requests without an
 * Origin header, such as those of curl and SDKs, pass.
 *
 * @throws AppError `forbidden`
 */
export function checkOrigin(request: Request, trusted: TrustedOrigins, handshake = false): void {
  const host = hostOf(request)
  if (!isLocalName(host) && !isAllowed(host, trusted))
    throw new AppError(
      'forbidden',
      `The host "${host}" is not allowed; add it to allowedHosts in the configuration`,
    )
  if (handshake || !SAFE_METHODS.has(request.method)) checkPage(request, trusted)
}

/**
 * Refuses requests of pages of other sites, whatever their method.
 *
 * @throws AppError `forbidden`
 */
export function checkPage(request: Request, trusted: TrustedOrigins): void {
  if (!isForeign(request, trusted)) return
  const origin = request.headers.get('origin') ?? ''
  const fix = URL.canParse(origin) ? `; add "${origin}" to cors.origins in the configuration` : ''
  throw new AppError('forbidden', `Requests from other origins are not allowed${fix}`)
}

/**
 * Whether the request was made on this machine, its Host is loopback or allowed, and its page is not of another origin.
 *
 * @param socket `undefined` for a request that was made in this process
 */
export function isLocal(request: Request, trusted: TrustedOrigins, socket: PeerSocket | undefined): boolean {
  const host = hostOf(request)
  const isLocalHost = isLoopback(host) || isAllowed(host, trusted)
  return isLocalHost && isOnThisMachine(socket) && !isForeign(request, trusted)
}

/** The request's origin, if CORS allows its pages to read responses. */
export function allowedOrigin(request: Request, trusted: TrustedOrigins): string | undefined {
  const origin = request.headers.get('origin')
  return origin !== null && trusted.origins.includes(origin) ? origin : undefined
}

/** Other programs of this machine serve pages as well: a loopback origin is foreign unless it is this server's. */
function isForeign(request: Request, trusted: TrustedOrigins): boolean {
  const origin = request.headers.get('origin')
  if (origin !== null && trusted.origins.includes(origin)) return false
  // the same site has other ports, and requests for images have no Origin
  if (['cross-site', 'same-site'].includes(request.headers.get('sec-fetch-site') ?? '')) return true
  return origin !== null && !isOwnOrigin(origin, request, trusted)
}

function isOwnOrigin(origin: string, request: Request, trusted: TrustedOrigins): boolean {
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host === request.headers.get('host')?.toLowerCase() || isAllowed(hostName(host), trusted)
}

/** Whether a host, with or without a port, is in `allowedHosts`. */
export function isAllowedHost(host: string, trusted: TrustedOrigins): boolean {
  return isAllowed(hostName(host), trusted)
}

function isAllowed(name: string, { allowedHosts }: TrustedOrigins): boolean {
  return allowedHosts.some((allowed) => hostName(allowed) === name)
}

function hostOf(request: Request): string {
  return hostName(request.headers.get('host') ?? new URL(request.url).host)
}

function isLocalName(name: string): boolean {
  return isLoopback(name) || isIP(name) !== 0
}
