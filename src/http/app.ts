import { Hono } from 'hono'
import type { Context } from 'hono'
import type { ContentfulStatusCode, StatusCode } from 'hono/utils/http-status'
import type { User } from '../contract/auth.ts'
import { AppError } from '../lib/errors.ts'
import { admit } from './request/admit.ts'
import { allowedMethods, bindEndpoints } from './bind.ts'
import type { RouteEnv } from './bind.ts'
import { cors } from './request/cors.ts'
import { errorReply } from './reply/error-body.ts'
import { handlersFor } from './handlers.ts'
import { guard } from './request/guard.ts'
import { UNTRACED, endRequest, failRequest, requestSpan } from './request/request-span.ts'
import type { SpanPlace } from '../lib/telemetry/trace-scope.ts'
import type { Services } from './services.ts'
import { NOT_FOUND_HEADER, matchedRoute } from './user-app.ts'

type Env = {
  Variables: RouteEnv['Variables'] & { requestId: string; arrivedAt: number; place: SpanPlace | undefined }
}

/** The request path, in order: request id, host and origin rules, CORS, gate, then our endpoint or a route of the user's. */
export function createApp(services: Services): Hono {
  const app = new Hono<Env>()
  app.use(async (c, next) => {
    const began = performance.now()
    c.set('arrivedAt', began)
    await next()
    const { method, path } = c.req
    const { status } = c.res
    const durationMs = performance.now() - began
    services.metrics.request({ method, route: c.get('route'), status, seconds: durationMs / 1000 })
    const group = c.get('group')
    if (group && UNTRACED.has(group)) return
    if (!services.logger.isLevelEnabled('debug')) return
    // the path alone: a query may hold a key
    const answered = {
      requestId: c.get('requestId'),
      method,
      path,
      status,
      durationMs: Math.round(durationMs),
      ...placeIn(c),
    }
    services.logger.debug(answered, `${method} ${path} ${status}`)
  })
  app.use((c, next) => {
    const requestId = services.newId()
    c.set('requestId', requestId)
    c.header('X-Request-Id', requestId)
    c.header('X-Content-Type-Options', 'nosniff')
    guard(c.req.raw, services)
    const preflight = cors(c, services.trustedOrigins(), services.production)
    return preflight ? Promise.resolve(preflight) : next()
  })
  bindEndpoints(app as unknown as Hono<RouteEnv>, handlersFor(services), services)
  app.notFound((c) => notFound(c, services))
  app.onError((error, c) => {
    const ties = { requestId: c.get('requestId'), ...placeIn(c) }
    const { status, headers, body } = errorReply(error, { logger: services.logger, ties })
    // with what stands on every answer, so that pages of trusted origins can read why they were refused
    return c.newResponse(body, status as ContentfulStatusCode, {
      'Content-Type': 'application/json',
      ...headers,
    })
  })
  return app as unknown as Hono
}

/** What ties a record of the log to the request's span, where it has one. */
function placeIn(c: Context<Env>): SpanPlace | undefined {
  const { traceId, spanId } = c.get('place') ?? {}
  return traceId !== undefined && spanId !== undefined ? { traceId, spanId } : undefined
}

/** No endpoint of ours: a route of the user's, a wrong method, or nothing at all. */
async function notFound(c: Context<Env>, services: Services): Promise<Response> {
  const user = await admit(c, undefined, services)
  const answer = await askUserApp(c, services, user)
  if (answer && !answer.headers.has(NOT_FOUND_HEADER)) return withOurHeaders(c, answer)
  const { path, method } = c.req
  const allowed = allowedMethods(path)
  if (allowed.length > 0)
    throw new AppError('method_not_allowed', `${method} is not allowed here; use ${allowed.join(' or ')}`, {
      headers: { Allow: allowed.join(', ') },
    })
  throw new AppError('not_found', `Nothing here: ${method} ${path}`)
}

/** The user's own code answers, and is not disposed meanwhile. */
async function askUserApp(
  c: Context<Env>,
  services: Services,
  user: User | undefined,
): Promise<Response | undefined> {
  const { userApp, hold } = services.served()
  const route = userApp && matchedRoute(userApp, c.req)
  if (!userApp) return undefined
  c.set('route', route)
  const span = route === undefined ? undefined : requestSpan(c, route, services)
  const fetch = async () => userApp.fetch(c.req.raw, { ...(c.env as object), user })
  const release = hold()
  try {
    const answer = await (span ? span.run(fetch) : fetch())
    endRequest(span, answer.status)
    return answer
  } catch (error) {
    failRequest(span, error)
    throw error
  } finally {
    release()
  }
}

/** A copy: the headers of what user code fetched elsewhere can't be changed. */
function withOurHeaders(c: Context<Env>, answer: Response): Response {
  const sent = c.newResponse(answer.body, answer as Response & { status: StatusCode })
  sent.headers.set('X-Request-Id', c.get('requestId'))
  if (answer.headers.has('vary') && c.req.header('origin') !== undefined)
    sent.headers.append('Vary', 'Origin')
  return sent
}
