import { AppError } from '../lib/errors.ts'
import type { RouteTarget } from '../contract/route-pattern.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { resourceIn } from '../contract/access/resource.ts'
import { serverAction } from '../contract/access/server-action.ts'
import type { User } from '../contract/auth.ts'
import type { Admission } from './admission.ts'
import type { AccessPolicy, Requirement } from './access-policy.ts'
import {
  CREDENTIAL_HEADERS,
  bearerToken,
  consoleKey,
  consoleKeyProblem,
  keyChecker,
  queryCredential,
  requestQuery,
} from './credentials.ts'
import { tokenExpiry } from './token-expiry.ts'
import { userAtOnce, verifyUser } from './verify-user.ts'

export interface GateOptions {
  readonly policy: AccessPolicy
  /** `SERVICE_CONSOLE_ACCESS_KEY`. */
  readonly consoleKey: string | undefined
  readonly production: boolean
}

/** A request and the properties that the gate decides by. */
export interface GateRequest {
  readonly request: Request
  readonly target: RouteTarget
  readonly endpoint: Endpoint | undefined
  /** Names of headers that the request has more than once. */
  readonly repeatedHeaders: readonly string[]
  /** Whether it was made on this machine, by no page of another origin: see `isLocal`. */
  readonly local: boolean
}

/**
 * When a token ends, in milliseconds since the epoch; `undefined` without a token that ends. A promise while the
 * provider has not verified the token.
 */
export type Expiry = number | undefined | Promise<number | undefined>

const ANONYMOUS: Admission = { user: undefined, by: 'public' }
const CONSOLE: Admission = { user: undefined, by: 'console' }
const BYPASS: Admission = { user: undefined, by: 'bypass' }

/** Admits requests by the access rules of one configuration. */
export class Gate {
  readonly policy: AccessPolicy
  /** Whether a console key is set; without one, no request has it. */
  readonly hasConsoleKey: boolean
  /** Why the console key is too weak for production, if it is. */
  readonly consoleKeyProblem: string | undefined
  readonly production: boolean
  readonly #isKey: (given: string | undefined) => boolean

  constructor({ policy, consoleKey, production }: GateOptions) {
    this.policy = policy
    this.#isKey = keyChecker(consoleKey)
    this.hasConsoleKey = (consoleKey ?? '').trim() !== ''
    this.consoleKeyProblem = consoleKeyProblem(consoleKey)
    this.production = production
  }

  /**
   * Admits a request.
   *
   * @throws AppError `unauthorized` with the `WWW-Authenticate` header
   */
  async admit(incoming: GateRequest): Promise<Admission> {
    const required = this.policy.requirement(incoming.target, incoming.endpoint)
    if (required === 'public') return this.#identify(incoming)
    if (this.#hasRepeatedCredentials(incoming)) throw unauthorized(required)
    if (this.#isBypass(incoming)) return BYPASS
    const hasKey = this.#hasKey(incoming.request)
    if (hasKey && required !== 'user' && required !== 'user-and-console') return CONSOLE
    if (required === 'console' || (required === 'user-and-console' && !hasKey)) throw unauthorized(required)
    const user = await this.#user(incoming)
    if (!user) throw unauthorized(required)
    return { user, by: 'user', hasKey }
  }

  /** Whether an admitted request may also do what needs console access: it has the key, or the development bypass. */
  hasConsoleAccess(incoming: GateRequest, { by }: Admission): boolean {
    if (by === 'console' || by === 'bypass') return true
    return !this.#hasRepeatedCredentials(incoming) && this.#hasKey(incoming.request)
  }

  /** When the token of an admitted request ends. Throws what the provider's `expiresAt` throws. */
  expiresAt(incoming: GateRequest, { user, identified }: Admission): Expiry {
    const { provider } = this.policy
    const token = user || identified ? tokenOf(incoming) : undefined
    if (!provider || token === undefined) return undefined
    const end = provider.expiresAt ? provider.expiresAt(token) : tokenExpiry(token)
    // a token that the provider refuses later does not end what is open to callers without one
    return user ? end : identified?.then((late) => (late ? end : undefined))
  }

  /**
   * Identifies the caller of a request to a public route, which never waits for a remote provider. Operators remain
   * operators: the rules for users do not apply to them.
   */
  async #identify(incoming: GateRequest): Promise<Admission> {
    const { endpoint, target } = incoming
    if ((endpoint && !this.#dependsOnUser(endpoint)) || this.#hasRepeatedCredentials(incoming))
      return ANONYMOUS
    if (this.#isBypass(incoming)) return BYPASS
    if (this.policy.isConsole(target, endpoint) && this.#hasKey(incoming.request)) return CONSOLE
    const { provider } = this.policy
    const token = tokenOf(incoming)
    if (!provider || token === undefined) return ANONYMOUS
    const identified = verifyUser(provider, token, incoming.request)
    const user = await userAtOnce(provider, identified)
    const hasKey = this.#hasKey(incoming.request)
    return user ? { user, by: 'user', hasKey } : { ...ANONYMOUS, identified }
  }

  /** User code may depend on the user, and so may the records that a user may read. */
  #dependsOnUser(endpoint: Endpoint): boolean {
    const { group, path, lists } = endpoint
    const { resources } = this.policy
    const kind = resourceIn(path)?.kind ?? (serverAction(endpoint) && 'server')
    return (
      group === 'execution' ||
      (kind !== undefined && resources.limitsReads(kind)) ||
      (lists === 'records' && resources.limitsLists) ||
      (lists === 'definitions' && resources.limitsReads('workflow'))
    )
  }

  #hasRepeatedCredentials({ repeatedHeaders }: GateRequest): boolean {
    return CREDENTIAL_HEADERS.some((name) => repeatedHeaders.includes(name))
  }

  #isBypass({ request, local, target }: GateRequest): boolean {
    if (this.production || !local) return false
    if (target.method === 'WS') return queryCredential(requestQuery(request), 'dev') === 'true'
    return request.headers.get('x-service-dev') === 'true'
  }

  #hasKey(request: Request): boolean {
    return this.#isKey(consoleKey(request.headers, requestQuery(request)))
  }

  async #user(incoming: GateRequest): Promise<User | undefined> {
    const { provider } = this.policy
    const token = tokenOf(incoming)
    return !provider || token === undefined ? undefined : verifyUser(provider, token, incoming.request)
  }
}

function tokenOf({ request, target }: GateRequest): string | undefined {
  const inQuery = target.method === 'WS' ? queryCredential(requestQuery(request), 'token') : undefined
  return inQuery ?? bearerToken(request.headers)
}

const MESSAGES: Readonly<Record<Exclude<Requirement, 'public'>, string>> = {
  console: 'A valid console access key is required',
  user: 'A valid user token is required',
  'console-or-user': 'A valid console access key or user token is required',
  'user-and-console': 'A valid user token and the console access key are required',
}

function unauthorized(required: Exclude<Requirement, 'public'>): AppError {
  const scheme = required === 'console' ? 'ConsoleKey realm="agentserver"' : 'Bearer realm="agentserver"'
  return new AppError('unauthorized', MESSAGES[required], { headers: { 'WWW-Authenticate': scheme } })
}
