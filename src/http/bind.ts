import type { Context, Hono } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import type { Endpoint, Group } from '../contract/endpoint.ts'
import { dataEnvelope } from '../contract/envelope.ts'
import { ENDPOINTS, ENDPOINT_LIST } from '../contract/index.ts'
import type { EndpointKey, Endpoints } from '../contract/index.ts'
import type { OpenSpan } from '../lib/telemetry/trace-scope.ts'
import { EVENT_HEADERS, eventStreamBody } from './reply/event-stream.ts'
import { Reply } from './reply/reply.ts'
import type { Document, EventStream, Handler } from './reply/reply.ts'
import { admit } from './request/access.ts'
import { onBodyEnd } from './request/request-lifetime.ts'
import { endRequestSpan, failRequestSpan, startEndpointSpan } from './request/request-span.ts'
import { validateRequest } from './request/validate-request.ts'
import type { Services } from './services.ts'

/** A handler for every endpoint, under the endpoint's key. */
export type Handlers = { readonly [K in EndpointKey]: Handler<Endpoints[K]> }

/** A handler without its endpoint's types: `Handlers` has checked them. */
type AnyHandler = (request: object) => unknown

/** Groups that are public under any configuration, and also while none is loaded. */
const OPEN: ReadonlySet<Group> = new Set(['health', 'assets'])

/** Variables of a request, set when its route is known. */
export interface RouteEnv {
  Variables: { route: string | undefined; group: Group | undefined }
}

/** Registers a route for every endpoint of the table. */
export function bindEndpoints(app: Hono<RouteEnv>, handlers: Handlers, services: Services): void {
  for (const [key, endpoint] of ENDPOINT_LIST) {
    const handle = handlers[key] as AnyHandler
    app.on(endpoint.method, endpoint.path, async (c, next) => {
      // a fixed path never matches an endpoint with parameters, also for a method that it does not allow
      if (isFixed(c.req.path) && c.req.path !== endpoint.path) return next()
      c.set('route', endpoint.path)
      c.set('group', endpoint.group)
      const admission = OPEN.has(endpoint.group) ? undefined : admit(c, endpoint, services)
      const user = admission && (await admission)
      const span = startEndpointSpan(c, endpoint, services)
      try {
        const maxBodyBytes = endpoint.body ? services.current().config.limits.bodyBytes : 0
        const request = await validateRequest(c, endpoint, maxBodyBytes)
        const result = await handle({ ...request, user, trace: span ?? services.trace() })
        return respond(c, { endpoint, result, services, span })
      } catch (error) {
        failRequestSpan(span, error)
        throw error
      }
    })
  }
}

/** The methods of the endpoints at a path, for the `Allow` header. */
export function allowedMethods(path: string): string[] {
  const candidates = isFixed(path) ? ROUTES.filter((route) => route.path === path) : ROUTES
  const methods = candidates.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
}

/** The endpoint at a path for a method, or for any method if it is `ALL`. */
export function endpointAt(method: string, path: string): EndpointKey | undefined {
  return ROUTES.find((route) => (method === 'ALL' || route.method === method) && route.pattern.test(path))
    ?.key
}

const ROUTES = (Object.keys(ENDPOINTS) as EndpointKey[]).map((key) => {
  const { method, path } = ENDPOINTS[key]
  const pattern = path.replaceAll(/:\w+/g, '[^/]+').replace(/\/\*$/, '(?:/.*)?')
  return { key, method, path, pattern: new RegExp(`^${pattern}$`, 's') }
})

const FIXED = new Set<string>(ROUTES.map(({ path }) => path).filter((path) => !/[:*]/.test(path)))

function isFixed(path: string): boolean {
  return FIXED.has(path)
}

interface Outcome {
  readonly endpoint: Endpoint
  readonly result: unknown
  readonly services: Services
  readonly span: OpenSpan | undefined
}

function respond(c: Context, outcome: Outcome): Response {
  const { endpoint, result, span } = outcome
  switch (endpoint.reply.kind) {
    case 'data': {
      const { data, status, headers } = result instanceof Reply ? result : new Reply(result)
      endRequestSpan(span, status)
      return c.body(dataEnvelope(data), status, { 'Content-Type': 'application/json', ...headers })
    }
    case 'document': {
      const { body, type, headers } = result as Document
      endRequestSpan(span, body === null ? 304 : 200)
      if (body === null) return c.body(null, 304, { ...headers })
      return c.body(body, 200, { 'Content-Type': type, ...headers })
    }
    case 'protocol':
      return respondInProtocol(c, result as Response, span)
    case 'events':
      return respondWithEvents(c, outcome)
  }
}

/** Passes on the response of another protocol. The span ends with its event stream, if it has one. */
function respondInProtocol(c: Context, response: Response, span: OpenSpan | undefined): Response {
  const { status, headers } = response
  const isStream = headers.get('content-type') === 'text/event-stream' && c.req.method !== 'HEAD'
  const end = () => endRequestSpan(span, status)
  const body = span && isStream && response.body ? onBodyEnd(response.body, end) : response.body
  if (body === response.body) end()
  return c.newResponse(body, { status: status as StatusCode, headers })
}

/** Streams events. The span ends with the stream. */
function respondWithEvents(c: Context, { result, endpoint, services, span }: Outcome): Response {
  const headers = { ...EVENT_HEADERS, ...(endpoint.reply.kind === 'events' && endpoint.reply.headers) }
  if (c.req.method === 'HEAD') {
    endRequestSpan(span, 200)
    return c.body(null, 200, headers)
  }
  const stream = result as EventStream
  services.openStreams.add(stream.abort)
  const body = eventStreamBody(stream, () => {
    services.openStreams.delete(stream.abort)
    endRequestSpan(span, 200)
  })
  return c.body(body, 200, headers)
}
