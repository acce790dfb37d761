import { AppError } from '../lib/errors.ts'
import type { RouteTarget } from '../contract/route-pattern.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import type { User } from '../contract/auth.ts'
import type { AccessPolicy, Requirement } from './access-policy.ts'
import {
  CREDENTIAL_HEADERS,
  bearerToken,
  consoleKey,
  keyChecker,
  queryCredential,
  requestQuery,
} from './credentials.ts'
import { verifiedUser } from './verified-user.ts'

export interface GateOptions {
  readonly policy: AccessPolicy
  /** `SERVICE_CONSOLE_ACCESS_KEY`. */
  readonly consoleKey: string | undefined
  readonly production: boolean
}

/** A request as the gate sees it. */
export interface Visit {
  readonly request: Request
  readonly target: RouteTarget
  readonly endpoint: Endpoint | undefined
  /** Names of headers that the client sent more than once. */
  readonly repeatedHeaders: readonly string[]
  /** The request comes from this machine, and from no other site's page. */
  readonly local: boolean
}

/** What the gate lets through: somebody known, somebody with the console key or the bypass, or anyone. */
export interface Admission {
  readonly user: User | undefined
  readonly by: 'public' | 'console' | 'user' | 'bypass'
}

const ANYONE: Admission = { user: undefined, by: 'public' }

/** Lets requests through by the access rules of one configuration. */
export class Gate {
  readonly policy: AccessPolicy
  /** Whether there is a console key; without one nobody can have it. */
  readonly hasConsoleKey: boolean
  readonly production: boolean
  readonly #isKey: (given: string | undefined) => boolean

  constructor({ policy, consoleKey, production }: GateOptions) {
    this.policy = policy
    this.#isKey = keyChecker(consoleKey)
    this.hasConsoleKey = (consoleKey ?? '').trim() !== ''
    this.production = production
  }

  /** @throws AppError `unauthorized` */
  async admit(visit: Visit): Promise<Admission> {
    const required = this.policy.requirement(visit.target, visit.endpoint)
    if (required === 'public') return this.#recognised(visit)
    if (this.#ambiguous(visit)) throw unauthorized(required)
    if (this.#bypasses(visit)) return { user: undefined, by: 'bypass' }
    const hasKey = required !== 'user' && this.#hasKey(visit.request)
    if (hasKey && required !== 'user-and-console') return { user: undefined, by: 'console' }
    if (required === 'console' || (required === 'user-and-console' && !hasKey)) throw unauthorized(required)
    const user = await this.#user(visit)
    if (!user) throw unauthorized(required)
    return { user, by: 'user' }
  }

  /** A public route serves everybody, and knows who it is when a valid token came along. */
  async #recognised(visit: Visit): Promise<Admission> {
    // what runs user code has to know who asks; other answers of ours are the same for everybody
    if ((visit.endpoint && visit.endpoint.group !== 'execution') || this.#ambiguous(visit)) return ANYONE
    const user = await this.#user(visit)
    return user ? { user, by: 'user' } : ANYONE
  }

  #ambiguous({ repeatedHeaders }: Visit): boolean {
    return CREDENTIAL_HEADERS.some((name) => repeatedHeaders.includes(name))
  }

  #bypasses({ request, local, target }: Visit): boolean {
    if (this.production || !local) return false
    if (target.method === 'WS') return queryCredential(requestQuery(request), 'dev') === 'true'
    return request.headers.get('x-service-dev') === 'true'
  }

  #hasKey(request: Request): boolean {
    return this.#isKey(consoleKey(request.headers, requestQuery(request)))
  }

  async #user({ request, target }: Visit): Promise<User | undefined> {
    const { provider } = this.policy
    const inQuery = target.method === 'WS' ? queryCredential(requestQuery(request), 'token') : undefined
    const token = provider && (inQuery ?? bearerToken(request.headers))
    return token === undefined
      ? undefined
      : verifiedUser(provider as NonNullable<typeof provider>, token, request)
  }
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
