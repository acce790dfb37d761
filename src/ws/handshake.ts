import type { IncomingMessage } from 'node:http'
import type { Admission } from '../auth/admission.ts'
import { repeatedHeaders } from '../auth/credentials.ts'
import type { AuthFailures } from '../auth/auth-failures.ts'
import type { Gate, GateRequest } from '../auth/gate.ts'
import type { Permission } from '../auth/stream-permissions.ts'
import { checkOrigin, isLocal } from '../auth/origin-rules.ts'
import type { TrustedOrigins } from '../auth/origin-rules.ts'
import { AppError } from '../lib/errors.ts'
import type { SocketMatch, SocketRoutes } from './socket-routes.ts'

/** A usual limit of servers and proxies. */
const MAX_TARGET_LENGTH = 8192

/** The routes and access rules of handshakes. */
export interface HandshakeRules {
  readonly gate: Gate
  readonly routes: SocketRoutes
  readonly trusted: TrustedOrigins
  readonly production: boolean
}

export interface AcceptedHandshake extends SocketMatch {
  readonly request: Request
  readonly permission: AdmittedHandshake
}

interface AdmittedHandshake extends Permission {
  readonly admission: Admission
}

/**
 * Checks a handshake by the same rules as a request: origin, gate, then routes.
 *
 * @throws AppError with the status of the refusal
 */
export async function acceptHandshake(
  incoming: IncomingMessage,
  rules: HandshakeRules,
  failures: Pick<AuthFailures, 'add'>,
): Promise<AcceptedHandshake> {
  const request = toRequest(incoming)
  const permission = await admitHandshake(incoming, request, rules, failures)
  const path = pathOf(request)
  const match = rules.routes(path, request)
  if (!match) throw new AppError('not_found', `WebSocket route not found: ${path}`)
  return { ...match, request, permission }
}

/**
 * Checks the origin and the credentials of a handshake. Refused credentials are added to `failures`.
 *
 * @throws AppError `forbidden` or `unauthorized`
 */
export async function admitHandshake(
  { rawHeaders, socket }: IncomingMessage,
  request: Request,
  { gate, trusted, production }: HandshakeRules,
  failures?: Pick<AuthFailures, 'add'>,
): Promise<AdmittedHandshake> {
  if (!production && gate.policy.mode === 'none') checkOrigin(request, trusted, true)
  const handshake: GateRequest = {
    request,
    target: { method: 'WS', path: pathOf(request) },
    endpoint: undefined,
    repeatedHeaders: repeatedHeaders(rawHeaders),
    local: isLocal(request, trusted, socket),
  }
  const admission = await gate.admit(handshake).catch((error: unknown) => {
    failures?.add(handshake, gate.policy, socket.remoteAddress)
    throw error
  })
  const { user } = admission
  return { gate, admission, user, expiresAt: gate.expiresAt(handshake, admission) }
}

/** Converts a handshake to a request of the Fetch API. Targets that URL parsing would change are refused. */
function toRequest({ url = '', headers, rawHeaders }: IncomingMessage): Request {
  const target = `http://${headers.host ?? ''}${url}`
  const isPlain = url.startsWith('/') && !url.startsWith('//') && !url.includes('\\')
  if (!isPlain || !URL.canParse(target))
    throw new AppError('invalid_input', 'The request target is not valid')
  if (url.length > MAX_TARGET_LENGTH) throw new AppError('invalid_input', 'The request target is too long')
  const sent = new Headers()
  for (let name = 0; name < rawHeaders.length; name += 2)
    sent.append(rawHeaders[name] ?? '', rawHeaders[name + 1] ?? '')
  return new Request(target, { headers: sent })
}

function pathOf({ url }: Request): string {
  const { pathname } = new URL(url)
  try {
    return decodeURI(pathname)
  } catch {
    // an invalid percent escape: the encoded path matches no route
    return pathname
  }
}
