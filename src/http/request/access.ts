import type { Context } from 'hono'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { Admission } from '../../auth/admission.ts'
import type { GateRequest } from '../../auth/gate.ts'
import type { DecisionInterface } from '../../contract/access/decision.ts'
import type { User } from '../../contract/auth.ts'
import { repeatedHeaders } from '../../auth/credentials.ts'
import { CallerAccess } from '../../auth/caller-access.ts'
import { checkOrigin, checkPage, isLocal } from '../../auth/origin-rules.ts'
import type { ValidRequest } from '../reply/reply.ts'
import { acceptsEvents } from './accepts-events.ts'
import type { Admitted, RequestEnv } from './request-env.ts'
import { withResourceMetadata } from './resource-metadata.ts'
import type { Services } from '../services.ts'

/**
 * Checks host and origin of a request to a development server without authentication; with authentication the
 * gate decides, and in production such a server is open.
 *
 * @throws AppError `forbidden`
 */
export function checkAccessByOrigin(request: Request, services: Services): void {
  if (services.production || services.authenticated() || services.isOperator(request)) return
  checkOrigin(request, services.trustedOrigins())
}

/**
 * Refuses, in development, pages of other sites that no credential admitted, where a request alone has an effect: an
 * event stream holds a connection, and `GET /updates` runs the package manager.
 *
 * @throws AppError `forbidden`
 */
export function checkForeignPage(
  request: Request,
  { endpoint, admission: { by } }: Pick<Admitted, 'endpoint' | 'admission'>,
  services: Services,
): void {
  if (!endpoint) return
  if (endpoint.group === 'updates' || mayStream(endpoint, request)) checkPublicPage(request, by, services)
}

/** Whether the response of an endpoint can be an event stream. */
function mayStream({ reply }: Endpoint, { headers }: Request): boolean {
  return reply.kind === 'events' || ('events' in reply && acceptsEvents(headers))
}

/**
 * Refuses a custom event stream as {@link checkForeignPage} does those of endpoints. Which routes have one is known
 * from their response only.
 *
 * @throws AppError `forbidden`
 */
export async function checkCustomStream(
  c: Context<RequestEnv>,
  response: Response,
  services: Services,
): Promise<void> {
  const by = c.get('admitted')?.admission.by
  if (by === undefined || !isEventStream(response)) return
  try {
    checkPublicPage(c.req.raw, by, services)
  } catch (error) {
    await response.body?.cancel()
    throw error
  }
}

/** Whether a response of other code is an event stream. */
export function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')
}

function checkPublicPage(request: Request, by: Admission['by'], services: Services): void {
  if (!services.production && by === 'public') checkPage(request, services.trustedOrigins())
}

/** The caller of a server without authentication. */
const ANYONE: Admission = { user: undefined, by: 'public' }

/**
 * Admits a request through the gate to `endpoint`, or to a custom or unknown route when it is `undefined`.
 * Resolves to the authenticated user. Returns `undefined`, not a promise, when no gate applies: without
 * authentication, and for requests of the operator.
 *
 * @throws AppError `unauthorized`, as a rejection
 */
export function admit(
  c: Context<RequestEnv>,
  endpoint: Endpoint | undefined,
  services: Services,
): Promise<User | undefined> | undefined {
  const { gate } = services.current()
  if (services.isOperator(c.req.raw)) return undefined
  if (gate.policy.mode === 'none') {
    accept(c, { gate, endpoint, admission: ANYONE, expiresAt: () => undefined }, services)
    return undefined
  }
  const incoming = gateRequest(c, endpoint, services)
  return gate.admit(incoming).then(
    (admission) => {
      const expiresAt = () => gate.expiresAt(incoming, admission)
      return accept(c, { gate, endpoint, admission, expiresAt }, services)
    },
    (error: unknown) => {
      services.authFailures.add(incoming, gate.policy, c.env?.incoming?.socket.remoteAddress)
      throw withResourceMetadata(error, incoming, services)
    },
  )
}

/** Keeps how a request was admitted, and returns its user. */
function accept(c: Context<RequestEnv>, admitted: Admitted, services: Services): Admission['user'] {
  const { endpoint, admission } = admitted
  checkForeignPage(c.req.raw, admitted, services)
  const socket = c.env?.incoming?.socket
  services.projectToken?.check({ request: c.req.raw, endpoint, by: admission.by, socket })
  c.set('admitted', admitted)
  return admission.user
}

/** The caller of a request that was admitted. */
export function callerOf(c: Context<RequestEnv>, services: Services): Admission | 'operator' {
  return services.isOperator(c.req.raw) ? 'operator' : (c.get('admitted')?.admission ?? ANYONE)
}

/** What a caller may do, by the rules in force. */
export function callerAccess(
  services: Services,
  caller: Admission | 'operator',
  over?: DecisionInterface,
): CallerAccess {
  const { gate, engine, registry } = services.current()
  return new CallerAccess(caller, { policy: gate.policy, engine, registry }, over)
}

/** What the caller of a request may do over another endpoint. */
export function reachOf(c: Context<RequestEnv>, services: Services): ValidRequest['reach'] {
  return async (endpoint, path) => {
    if (services.isOperator(c.req.raw)) return callerAccess(services, 'operator')
    const { gate } = services.current()
    if (gate.policy.mode === 'none') return callerAccess(services, ANYONE)
    const target = { method: endpoint.method, path }
    const admitted = c.get('admitted')
    const isSame = admitted?.endpoint && hasSameRule(gate, [admitted.endpoint, c.req], [endpoint, target])
    // a provider may be remote
    if (admitted?.gate === gate && isSame) return callerAccess(services, admitted.admission)
    return callerAccess(services, await gate.admit(gateRequest(c, endpoint, services, target)))
  }
}

type Route = readonly [endpoint: Endpoint, target: GateRequest['target']]

/** Whether the gate admits the same requests to two routes, as the same callers. */
function hasSameRule({ policy }: Admitted['gate'], ...routes: readonly [Route, Route]): boolean {
  const [one, other] = routes.map(
    ([endpoint, { method, path }]) =>
      `${policy.requirement({ method, path }, endpoint)} ${policy.isConsole({ method, path }, endpoint)}`,
  )
  return one === other
}

/** A request as the gate in force sees it, at its own route or at another one. */
export function gateRequest(
  c: Context<RequestEnv>,
  endpoint: Endpoint | undefined,
  services: Services,
  target: GateRequest['target'] = { method: c.req.method, path: c.req.path },
): GateRequest {
  const { raw: request } = c.req
  return {
    request,
    target,
    endpoint,
    repeatedHeaders: repeatedHeaders(c.env?.incoming?.rawHeaders ?? []),
    local: isLocal(request, services.trustedOrigins(), c.env?.incoming?.socket),
  }
}
