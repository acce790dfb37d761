import { isIP } from 'node:net'
import { AppError } from '../lib/errors.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Guards a server without authentication against web pages of other sites: a name that is not this machine's
 * (DNS rebinding) is refused, and so is anything that changes something and comes from another origin.
 * Requests without an Origin header, as from curl and SDKs, pass.
 *
 * @throws AppError `forbidden`
 */
export function checkOrigin(request: Request, allowedHosts: readonly string[]): void {
  const host = hostName(request.headers.get('host') ?? new URL(request.url).host)
  if (!isLocalName(host) && !isAllowed(host, allowedHosts))
    throw new AppError(
      'forbidden',
      `The host "${host}" is not allowed; add it to allowedHosts in the configuration`,
    )
  if (SAFE_METHODS.has(request.method)) return
  const origin = request.headers.get('origin')
  if (
    request.headers.get('sec-fetch-site') === 'cross-site' ||
    (origin !== null && !isOwnOrigin(origin, request, allowedHosts))
  )
    throw new AppError('forbidden', 'Requests from other origins are not allowed')
}

function isOwnOrigin(origin: string, request: Request, allowedHosts: readonly string[]): boolean {
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  const name = hostName(host)
  return isLoopback(name) || isAllowed(name, allowedHosts) || host === request.headers.get('host')
}

function isAllowed(name: string, allowedHosts: readonly string[]): boolean {
  return allowedHosts.some((allowed) => hostName(allowed) === name)
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
