import { Hono } from 'hono'
import type { Context } from 'hono'
import type { User } from '../contract/auth.ts'
import { OPENAI_BASE } from '../contract/endpoints/openai.ts'
import { passOn, catching } from '../lib/async/pass-on.ts'
import { AppError } from '../lib/errors.ts'
import type { SpanIds } from '../lib/telemetry/trace-scope.ts'
import { allowedMethods, bindEndpoints, endpointAt } from './bind.ts'
import type { Serve } from './bind.ts'
import { handlersFor } from './handlers/index.ts'
import { copyResponse, createResponse } from './reply/create-response.ts'
import { OPENAI_ERRORS, errorReply } from './reply/error-reply.ts'
import { admit, checkAccessByOrigin, checkCustomStream, isEventStream } from './request/access.ts'
import { dispatchedPath } from './request/canonical-path.ts'
import type { RequestEnv } from './request/request-env.ts'
import { whilePermitted } from './request/while-permitted.ts'
import { UNTRACED, endRequestSpan, failRequestSpan, startRequestSpan } from './request/request-span.ts'
import type { Services } from './services.ts'
import { NOT_FOUND_HEADER, matchRoute } from './user-app.ts'
import { allowedOrigin } from '../auth/origin-rules.ts'
import type { TrustedOrigins } from '../auth/origin-rules.ts'
import type { HeaderRecord } from './reply/reply.ts'

const REQUEST_HEADERS =
  'Authorization, Content-Type, Last-Event-ID, Prefer, x-console-access-key, x-service-dev, traceparent, tracestate, ' +
  'MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, A2A-Version, A2A-Extensions, ' +
  // of OpenAI's client
  'OpenAI-Organization, OpenAI-Project, ' +
  ['Arch', 'Lang', 'OS', 'Package-Version', 'Retry-Count', 'Runtime', 'Runtime-Version', 'Timeout']
    .map((name) => `X-Stainless-${name}`)
    .join(', ')
const RESPONSE_HEADERS =
  'X-Request-Id, X-Execution-Id, X-Trace-Id, X-Total-Count, X-Next-Cursor, X-Ignored-Options, Retry-After, ' +
  'Mcp-Session-Id'

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': REQUEST_HEADERS,
  // ten minutes keep changes of `cors.origins` visible; Chrome's maximum is two hours
  'Access-Control-Max-Age': '600',
}

interface Cors {
  readonly headers: HeaderRecord
  /** Whether the request is a preflight of a trusted origin, which is answered with these headers alone. */
  readonly isPreflight: boolean
}

/** The CORS headers of the response to a request with an `Origin` (Fetch standard, CORS protocol). */
export function cors(request: Request, trusted: TrustedOrigins): Cors {
  const vary = { Vary: 'Origin' }
  const origin = allowedOrigin(request, trusted)
  if (origin === undefined) return { headers: vary, isPreflight: false }
  const isPreflight = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
  const headers = {
    ...vary,
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': RESPONSE_HEADERS,
    ...(isPreflight && PREFLIGHT_HEADERS),
  }
  return { headers, isPreflight }
}

/**
 * Creates the app. The request path, in order: request id, host and origin rules, CORS, gate, then an endpoint of
 * the table or a custom route; last, metrics and access log.
 *
 * Each route has one handler and no middleware: Hono then adds no promises.
 */
export function createApp(services: Services): Hono {
  const app = new Hono<RequestEnv>({ getPath: dispatchedPath })
  const serve: Serve = (c, respond) => serveRequest(c, services, respond)
  bindEndpoints(
    app,
    handlersFor(services, async (request, env) => app.fetch(request, env)),
    { services, serve },
  )
  app.notFound((c) => serve(c, () => callCustomRoute(c, services)))
  // what is thrown while an error is answered, or a request recorded
  app.onError((error, c) => respondWithError(c, services, error))
  return app as unknown as Hono
}

/** Serves a request. What `respond` throws is answered here, so that it is counted and logged as any response. */
function serveRequest(
  c: Context<RequestEnv>,
  services: Services,
  respond: () => Response | Promise<Response>,
): Response | Promise<Response> {
  const startedAt = performance.now()
  c.set('startedAt', startedAt)
  c.set('requestId', services.newId())
  const response = catching(
    () => respondByOrigin(c, services) ?? services.enter(respond),
    (error) => respondWithError(c, services, error),
  )
  return passOn(response, (sent) => {
    recordRequest(c, sent, { services, durationMs: performance.now() - startedAt })
    return sent
  })
}

/**
 * Applies the host and origin rules and CORS. Returns the response to a preflight request.
 *
 * @throws AppError `forbidden`
 */
function respondByOrigin(c: Context<RequestEnv>, services: Services): Response | undefined {
  checkAccessByOrigin(c.req.raw, services)
  if (c.req.header('origin') === undefined) return undefined
  const { headers, isPreflight } = cors(c.req.raw, services.trustedOrigins())
  c.set('corsHeaders', headers)
  return isPreflight ? createResponse(c, null, { status: 204 }) : undefined
}

function respondWithError(c: Context<RequestEnv>, services: Services, error: unknown): Response {
  const ids = { requestId: c.get('requestId'), ...spanIdsOf(c) }
  const format = isOpenai(c, services) ? OPENAI_ERRORS : undefined
  const { status, headers, body } = errorReply(error, { logger: services.logger, ids, format })
  return createResponse(c, body, { status, headers: { 'Content-Type': 'application/json', ...headers } })
}

/** Whether clients of OpenAI's API read the response: all below its base path, except the routes of `configureApp`. */
function isOpenai({ req }: Context<RequestEnv>, services: Services): boolean {
  if (!req.path.startsWith(`${OPENAI_BASE}/`) || services.switchedOff('openai')) return false
  return endpointAt('ALL', req.path, {}) !== undefined || !isCustom(req, services)
}

function isCustom(target: Context<RequestEnv>['req'], services: Services): boolean {
  const userApp = services.userApp()
  return userApp !== undefined && matchRoute(userApp, target) !== undefined
}

/** Counts a request in the metrics and writes it to the access log. */
function recordRequest(
  c: Context<RequestEnv>,
  response: Response,
  { services, durationMs }: { readonly services: Services; readonly durationMs: number },
): void {
  const { method, path } = c.req
  const { status } = response
  services.metrics.request({ method, route: c.get('route'), status, seconds: durationMs / 1000 })
  if (status >= 500 && method !== 'HEAD' && response.body === null) logEmptyError(c, status, services)
  const group = c.get('group')
  if (group && UNTRACED.has(group)) return
  if (!services.logger.isLevelEnabled('debug')) return
  const record = {
    requestId: c.get('requestId'),
    method,
    // without the query, which may hold a key
    path,
    status,
    durationMs: Math.round(durationMs),
    ...spanIdsOf(c),
  }
  services.logger.debug(record, `${method} ${path} ${status}`)
}

/** A custom route may respond so without a log record of its own. */
function logEmptyError(c: Context<RequestEnv>, status: number, { logger }: Services): void {
  const { method, path } = c.req
  const ids = { requestId: c.get('requestId'), ...spanIdsOf(c) }
  logger.error({ ...ids, method, path, status }, `${method} ${path}: ${status} with an empty body`)
}

/** The ids that link a log record to the request's span, if it has one. */
function spanIdsOf(c: Context<RequestEnv>): SpanIds | undefined {
  const { traceId, spanId } = c.get('spanIds') ?? {}
  return traceId !== undefined && spanId !== undefined ? { traceId, spanId } : undefined
}

/** Answers a request that matches no endpoint: by a custom route, or with 405 or 404. */
async function callCustomRoute(c: Context<RequestEnv>, services: Services): Promise<Response> {
  const user = await admit(c, undefined, services)
  const response = await callUserApp(c, services, user)
  if (response && !response.headers.has(NOT_FOUND_HEADER)) {
    await checkCustomStream(c, response, services)
    return withServerHeaders(c, response, services)
  }
  const { path, method } = c.req
  const allowed = allowedMethods(path, services.current().config)
  if (allowed.length > 0)
    throw new AppError('method_not_allowed', `${method} is not allowed here; use ${allowed.join(' or ')}`, {
      headers: { Allow: allowed.join(', ') },
    })
  throw new AppError('not_found', `Route not found: ${method} ${path}`)
}

/** Calls the app of `configureApp`, if there is one. Holds its generation of the user's code until the response. */
async function callUserApp(
  c: Context<RequestEnv>,
  services: Services,
  user: User | undefined,
): Promise<Response | undefined> {
  const { userApp, hold } = services.current()
  if (!userApp) return undefined
  const route = matchRoute(userApp, c.req)
  c.set('route', route)
  const span = route === undefined ? undefined : startRequestSpan(c, route, { services, user })
  const identify = async () => user ?? c.get('admitted')?.admission.identified
  const fetch = async () => userApp.fetch(c.req.raw, { ...(c.env as object), user, identify })
  const release = hold()
  try {
    const response = await (span ? span.run(fetch) : fetch())
    endRequestSpan(span, response.status)
    return response
  } catch (error) {
    failRequestSpan(span, error)
    throw error
  } finally {
    release()
  }
}

/** Adds the server's headers to a response of user code. An event stream ends with the permission of its request. */
function withServerHeaders(c: Context<RequestEnv>, response: Response, services: Services): Response {
  const { body } = response
  const isStream = body && isEventStream(response) && c.req.method !== 'HEAD'
  const copy = copyResponse(c, response, isStream ? whilePermitted(c, body, services) : body)
  copy.headers.set('X-Request-Id', c.get('requestId'))
  if (response.headers.has('vary') && c.req.header('origin') !== undefined)
    copy.headers.append('Vary', 'Origin')
  return copy
}
