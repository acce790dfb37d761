import { isIP } from 'node:net'
import { AppError } from '../lib/errors.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Names and origins that a configuration trusts beside this machine's own. */
export interface TrustedOrigins {
  readonly allowedHosts: readonly string[]
  /** `cors.origins`: exact origins, such as `https://app.example`. */
  readonly origins: readonly string[]
}

/**
 * Guards a server without authentication against web pages of other sites: a name that is not this machine's
 * (DNS rebinding) is refused, and so is a WebSocket handshake and anything that changes something and comes
 * from another origin.
 * Requests without an Origin header, as from curl and SDKs, pass.
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
  if ((handshake || !SAFE_METHODS.has(request.method)) && isForeign(request, trusted))
    throw new AppError('forbidden', 'Requests from other origins are not allowed')
}

/** Whether a request was made to this machine by name, and by no page of another site. */
export function isLocal(request: Request, trusted: TrustedOrigins): boolean {
  const host = hostOf(request)
  return (isLoopback(host) || isAllowed(host, trusted)) && !isForeign(request, trusted)
}

/** The request's origin, if pages from there may read the answers; the server's own needs no permission. */
export function grantedOrigin(
  request: Request,
  trusted: TrustedOrigins,
  production: boolean,
): string | undefined {
  const origin = request.headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return undefined
  if (trusted.origins.includes(origin)) return origin
  if (production || request.headers.get('sec-fetch-site') === 'cross-site') return undefined
  return isLoopback(hostName(new URL(origin).host)) ? origin : undefined
}

function isForeign(request: Request, trusted: TrustedOrigins): boolean {
  const origin = request.headers.get('origin')
  if (origin !== null && trusted.origins.includes(origin)) return false
  if (request.headers.get('sec-fetch-site') === 'cross-site') return true
  return origin !== null && !isOwnOrigin(origin, request, trusted)
}

function isOwnOrigin(origin: string, request: Request, trusted: TrustedOrigins): boolean {
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  const name = hostName(host)
  return isLoopback(name) || isAllowed(name, trusted) || host === request.headers.get('host')
}

/** Whether a host, with or without a port, is among those the configuration allows. */
export function isAllowedHost(host: string, trusted: TrustedOrigins): boolean {
  return isAllowed(hostName(host), trusted)
}

function isAllowed(name: string, { allowedHosts }: TrustedOrigins): boolean {
  return allowedHosts.some((allowed) => hostName(allowed) === name)
}

function hostOf(request: Request): string {
  return hostName(request.headers.get('host') ?? new URL(request.url).host)
}

function hostName(host: string): string {
  return host
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
}

function isLocalName(name: string): boolean {
  return isLoopback(name) || isIP(name) !== 0
}

function isLoopback(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    (isIP(name) === 4 && name.startsWith('127.'))
  )
}
