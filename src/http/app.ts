import { Hono } from 'hono'
import type { Context } from 'hono'
import type { ContentfulStatusCode, StatusCode } from 'hono/utils/http-status'
import type { User } from '../contract/auth.ts'
import { AppError } from '../lib/errors.ts'
import type { SpanIds } from '../lib/telemetry/trace-scope.ts'
import { allowedMethods, bindEndpoints } from './bind.ts'
import type { RouteEnv } from './bind.ts'
import { handlersFor } from './handlers/index.ts'
import { errorReply } from './reply/error-reply.ts'
import { admit, checkAccessByOrigin } from './request/access.ts'
import { cors } from './request/cors.ts'
import { UNTRACED, endRequestSpan, failRequestSpan, startRequestSpan } from './request/request-span.ts'
import type { Services } from './services.ts'
import { NOT_FOUND_HEADER, matchRoute } from './user-app.ts'

type Env = {
  Variables: RouteEnv['Variables'] & {
    requestId: string
    /** The request's start by `performance.now()`. */
    startedAt: number
    /** The ids of the request's span, if it has one. */
    spanIds: SpanIds | undefined
  }
}

/**
 * Creates the app. The request path, in order: metrics and access log, request id, host and origin rules, CORS,
 * gate, then an endpoint of the table or a custom route.
 */
export function createApp(services: Services): Hono {
  const app = new Hono<Env>()
  app.use(async (c, next) => {
    const startedAt = performance.now()
    c.set('startedAt', startedAt)
    await next()
    recordRequest(c, services, performance.now() - startedAt)
  })
  app.use((c, next) => {
    const requestId = services.newId()
    c.set('requestId', requestId)
    c.header('X-Request-Id', requestId)
    c.header('X-Content-Type-Options', 'nosniff')
    checkAccessByOrigin(c.req.raw, services)
    const preflight = cors(c, services.trustedOrigins(), services.production)
    return preflight ? Promise.resolve(preflight) : next()
  })
  bindEndpoints(app as unknown as Hono<RouteEnv>, handlersFor(services), services)
  app.notFound((c) => callCustomRoute(c, services))
  app.onError((error, c) => {
    const ids = { requestId: c.get('requestId'), ...spanIdsOf(c) }
    const { status, headers, body } = errorReply(error, { logger: services.logger, ids })
    // keeps the CORS headers, so that pages of trusted origins can read the error
    return c.newResponse(body, status as ContentfulStatusCode, {
      'Content-Type': 'application/json',
      ...headers,
    })
  })
  return app as unknown as Hono
}

/** Counts a request in the metrics and writes it to the access log. */
function recordRequest(c: Context<Env>, services: Services, durationMs: number): void {
  const { method, path } = c.req
  const { status } = c.res
  services.metrics.request({ method, route: c.get('route'), status, seconds: durationMs / 1000 })
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

/** The ids that link a log record to the request's span, if it has one. */
function spanIdsOf(c: Context<Env>): SpanIds | undefined {
  const { traceId, spanId } = c.get('spanIds') ?? {}
  return traceId !== undefined && spanId !== undefined ? { traceId, spanId } : undefined
}

/** Answers a request that matches no endpoint: by a custom route, or with 405 or 404. */
async function callCustomRoute(c: Context<Env>, services: Services): Promise<Response> {
  const user = await admit(c, undefined, services)
  const response = await callUserApp(c, services, user)
  if (response && !response.headers.has(NOT_FOUND_HEADER)) return withServerHeaders(c, response)
  const { path, method } = c.req
  const allowed = allowedMethods(path)
  if (allowed.length > 0)
    throw new AppError('method_not_allowed', `${method} is not allowed here; use ${allowed.join(' or ')}`, {
      headers: { Allow: allowed.join(', ') },
    })
  throw new AppError('not_found', `Route not found: ${method} ${path}`)
}

/** Calls the app of `configureApp`, if there is one. Holds its generation of the user's code until the response. */
async function callUserApp(
  c: Context<Env>,
  services: Services,
  user: User | undefined,
): Promise<Response | undefined> {
  const { userApp, hold } = services.current()
  if (!userApp) return undefined
  const route = matchRoute(userApp, c.req)
  c.set('route', route)
  const span = route === undefined ? undefined : startRequestSpan(c, route, services)
  const fetch = async () => userApp.fetch(c.req.raw, { ...(c.env as object), user })
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

/** Copies a response to add headers: those of a response that user code fetched elsewhere are immutable. */
function withServerHeaders(c: Context<Env>, response: Response): Response {
  const copy = c.newResponse(response.body, response as Response & { status: StatusCode })
  copy.headers.set('X-Request-Id', c.get('requestId'))
  if (response.headers.has('vary') && c.req.header('origin') !== undefined)
    copy.headers.append('Vary', 'Origin')
  return copy
}
