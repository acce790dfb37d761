import type { IncomingMessage } from 'node:http'
import { repeatedHeaders } from '../auth/credentials.ts'
import type { Gate } from '../auth/gate.ts'
import { checkOrigin, isLocal } from '../auth/origin-rules.ts'
import type { TrustedOrigins } from '../auth/origin-rules.ts'
import type { User } from '../contract/auth.ts'
import { AppError } from '../lib/errors.ts'
import type { SocketMatch, SocketRoutes } from './socket-routes.ts'

const MAX_TARGET = 8192

/** What a handshake is held against. */
export interface HandshakeRules {
  readonly gate: Gate
  readonly routes: SocketRoutes
  readonly trusted: TrustedOrigins
  readonly production: boolean
}

export interface AcceptedHandshake extends SocketMatch {
  readonly request: Request
  readonly user: User | undefined
}

/**
 * Takes a handshake through the same rules as a request: origin, gate, then what is there.
 *
 * @throws AppError with the status it is refused with
 */
export async function acceptHandshake(
  incoming: IncomingMessage,
  rules: HandshakeRules,
): Promise<AcceptedHandshake> {
  const request = requestOf(incoming)
  const { gate, trusted, production } = rules
  if (!production && gate.policy.mode === 'none') checkOrigin(request, trusted, true)
  const path = pathOf(request)
  const { user } = await gate.admit({
    request,
    target: { method: 'WS', path },
    endpoint: undefined,
    repeatedHeaders: repeatedHeaders(incoming.rawHeaders),
    local: isLocal(request, trusted),
  })
  const match = rules.routes(path, request)
  if (!match) throw new AppError('not_found', `WebSocket route not found: ${path}`)
  return { ...match, request, user }
}

/** The handshake as a request of the Fetch API. Targets that URL parsing would bend are refused. */
function requestOf({ url = '', headers, rawHeaders }: IncomingMessage): Request {
  const target = `http://${headers.host ?? ''}${url}`
  const isPlain = url.startsWith('/') && !url.startsWith('//') && !url.includes('\\')
  if (!isPlain || !URL.canParse(target))
    throw new AppError('invalid_input', 'The request target is not valid')
  if (url.length > MAX_TARGET) throw new AppError('invalid_input', 'The request target is too long')
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
    // a broken escape: it fits no endpoint as it stands
    return pathname
  }
}
