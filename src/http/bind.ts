import type { Context, Hono } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import { dataEnvelope } from '../contract/envelope.ts'
import { ENDPOINTS, ENDPOINT_LIST } from '../contract/index.ts'
import type { Endpoint, Group } from '../contract/endpoint.ts'
import type { EndpointKey, Endpoints } from '../contract/index.ts'
import { admit } from './request/admit.ts'
import { checkRequest } from './request/checked-request.ts'
import { EVENT_HEADERS, eventStreamBody } from './reply/event-stream.ts'
import type { Document, EventStream, Handler } from './reply/reply.ts'
import { Reply } from './reply/reply.ts'
import type { OpenSpan } from '../lib/telemetry/trace-scope.ts'
import { endRequest, endpointSpan, failRequest } from './request/request-span.ts'
import type { Services } from './services.ts'
import { untilOver } from './request/until-over.ts'

/** A handler for every endpoint, under the endpoint's key. */
export type Handlers = { readonly [K in EndpointKey]: Handler<Endpoints[K]> }

/** A handler whatever its endpoint: the table's own types were checked where it was written. */
type AnyHandler = (request: object) => unknown

/** Groups that are public whatever the configuration says, also while there is none. */
const OPEN: ReadonlySet<Group> = new Set(['health', 'assets'])

/** What is known of a request once its route is. */
export interface RouteEnv {
  Variables: { route: string | undefined; group: Group | undefined }
}

/** Gives every endpoint of the table its route. */
export function bindEndpoints(app: Hono<RouteEnv>, handlers: Handlers, services: Services): void {
  for (const [key, endpoint] of ENDPOINT_LIST) {
    const handle = handlers[key] as AnyHandler
    app.on(endpoint.method, endpoint.path, async (c, next) => {
      // a path that is written out is not one with a parameter, also where it takes other methods
      if (isFixed(c.req.path) && c.req.path !== endpoint.path) return next()
      c.set('route', endpoint.path)
      c.set('group', endpoint.group)
      const admission = OPEN.has(endpoint.group) ? undefined : admit(c, endpoint, services)
      const user = admission && (await admission)
      const span = endpointSpan(c, endpoint, services)
      try {
        const limit = endpoint.body ? services.served().config.limits.bodyBytes : 0
        const { params, query, body, headers, raw } = await checkRequest(c, endpoint, limit)
        const trace = span ?? services.trace()
        const result = await handle({ params, query, body, headers, raw, user, trace })
        return respond(c, { endpoint, result, services, span })
      } catch (error) {
        failRequest(span, error)
        throw error
      }
    })
  }
}

/** The methods that a path takes, for one that was asked for with another. */
export function allowedMethods(path: string): string[] {
  const fits = isFixed(path) ? PATHS.filter((entry) => entry.path === path) : PATHS
  const methods = fits.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
}

/** The endpoint that answers a method, or `ALL` of them, and path, if any. */
export function endpointAt(method: string, path: string): EndpointKey | undefined {
  const answers = (entry: { method: string }) => method === 'ALL' || entry.method === method
  return PATHS.find((entry) => answers(entry) && entry.pattern.test(path))?.key
}

const PATHS = (Object.keys(ENDPOINTS) as EndpointKey[]).map((key) => {
  const { method, path } = ENDPOINTS[key]
  const pattern = path.replaceAll(/:\w+/g, '[^/]+').replace(/\/\*$/, '(?:/.*)?')
  return { key, method, path, pattern: new RegExp(`^${pattern}$`, 's') }
})

const FIXED = new Set<string>(PATHS.map(({ path }) => path).filter((path) => !/[:*]/.test(path)))

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
      endRequest(span, status)
      return c.body(dataEnvelope(data), status, { 'Content-Type': 'application/json', ...headers })
    }
    case 'document': {
      const { body, type, headers } = result as Document
      endRequest(span, body === null ? 304 : 200)
      if (body === null) return c.body(null, 304, { ...headers })
      return c.body(body, 200, { 'Content-Type': type, ...headers })
    }
    case 'protocol':
      return forwarded(c, result as Response, span)
    case 'events':
      return streamed(c, outcome)
  }
}

/** What a protocol of its own answers. */
function forwarded(c: Context, answer: Response, span: OpenSpan | undefined): Response {
  const { status, headers } = answer
  const isStream = headers.get('content-type') === 'text/event-stream' && c.req.method !== 'HEAD'
  const end = () => endRequest(span, status)
  const body = span && isStream && answer.body ? untilOver(answer.body, end) : answer.body
  if (body === answer.body) end()
  return c.newResponse(body, { status: status as StatusCode, headers })
}

/** The request ends with its stream. */
function streamed(c: Context, { result, endpoint, services, span }: Outcome): Response {
  const headers = { ...EVENT_HEADERS, ...(endpoint.reply.kind === 'events' && endpoint.reply.headers) }
  if (c.req.method === 'HEAD') {
    endRequest(span, 200)
    return c.body(null, 200, headers)
  }
  const stream = result as EventStream
  services.openStreams.add(stream.abort)
  const body = eventStreamBody(stream, () => {
    services.openStreams.delete(stream.abort)
    endRequest(span, 200)
  })
  return c.body(body, 200, headers)
}
