import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import type { ServerConfig } from '../config/config.ts'
import type { Admission } from '../auth/admission.ts'
import type { CallerAccess } from '../auth/caller-access.ts'
import type { User } from '../contract/auth.ts'
import type { Endpoint, Group, Tag } from '../contract/endpoint.ts'
import { queryValues } from '../contract/fields.ts'
import { ENDPOINTS, ENDPOINT_LIST } from '../contract/index.ts'
import type { EndpointKey, Endpoints } from '../contract/index.ts'
import { AppError } from '../lib/errors.ts'
import { passOn, catching } from '../lib/async/pass-on.ts'
import { dataEnvelope } from '../lib/json/envelope.ts'
import { formatIssues } from '../lib/schema/schema.ts'
import { readIssues } from '../lib/schema/standard-validation.ts'
import type { OpenSpan } from '../lib/telemetry/trace-scope.ts'
import { copyProtocolResponse, createResponse } from './reply/create-response.ts'
import { explainFailure } from './reply/explain-failure.ts'
import { EVENT_HEADERS, TEXT_HEADERS, eventStreamBody } from './reply/event-stream.ts'
import { Reply } from './reply/reply.ts'
import type { Document, EventStream, Handler, ValidRequest } from './reply/reply.ts'
import { IgnoredOptions } from './request/ignored-options.ts'
import { admit, callerAccess, callerOf, isEventStream, gateRequest, reachOf } from './request/access.ts'
import { readJsonBody } from './request/request-body.ts'
import type { RequestEnv } from './request/request-env.ts'
import { onBodyEnd } from './request/request-lifetime.ts'
import { endRequestSpan, failRequestSpan, startEndpointSpan } from './request/request-span.ts'
import { whilePermitted } from './request/while-permitted.ts'
import type { Services } from './services.ts'

/** A handler for every endpoint, under the endpoint's key. */
export type Handlers = { readonly [K in EndpointKey]: Handler<Endpoints[K]> }

/** A handler without its endpoint's types: `Handlers` has checked them. */
type AnyHandler = (request: object) => unknown

/** Groups that are public under any configuration, and also while none is loaded. */
const OPEN: ReadonlySet<Group> = new Set(['health', 'assets'])

/** Wraps the response to a request: its id, the rules of origins, CORS, errors, metrics and the access log. */
export type Serve = (
  c: Context<RequestEnv>,
  respond: () => Response | Promise<Response>,
) => Response | Promise<Response>

interface Binding {
  readonly services: Services
  readonly serve: Serve
}

/** Registers a route for every endpoint of the table. */
export function bindEndpoints(app: Hono<RequestEnv>, handlers: Handlers, { services, serve }: Binding): void {
  const ignored = new IgnoredOptions(services.logger)
  for (const [key, endpoint] of ENDPOINT_LIST) {
    const bound = { endpoint, handle: handlers[key] as AnyHandler, services, ignored }
    app.on(endpoint.method, endpoint.path, (c, next) => {
      // a fixed path never matches an endpoint with parameters, also for a method that it does not allow
      if (isFixed(c.req.path) && c.req.path !== endpoint.path) return next()
      try {
        if (!isServed(endpoint, services)) return next()
      } catch (error) {
        // no configuration is loaded, or the server stops
        return serve(c, () => Promise.reject(error))
      }
      return serve(c, () => serveEndpoint(c, bound))
    })
  }
}

interface BoundEndpoint {
  readonly endpoint: Endpoint
  readonly handle: AnyHandler
  readonly services: Services
  readonly ignored: IgnoredOptions
}

/** Responds at once where the gate, the body and the handler don't wait for anything. */
function serveEndpoint(c: Context<RequestEnv>, bound: BoundEndpoint): Response | Promise<Response> {
  const { endpoint, services } = bound
  c.set('route', endpoint.path)
  c.set('group', endpoint.group)
  const user = OPEN.has(endpoint.group) ? undefined : admit(c, endpoint, services)
  return passOn(user, (admitted) => serveAdmitted(c, bound, admitted))
}

function serveAdmitted(
  c: Context<RequestEnv>,
  { endpoint, handle, services, ignored }: BoundEndpoint,
  user: User | undefined,
): Response | Promise<Response> {
  const span = startEndpointSpan(c, endpoint, { services, user })
  let access: CallerAccess | undefined
  const handleValid = ({ params, query, body, headers, raw }: ValidParts) => {
    checkConsoleOptions(c, endpoint, { body, services })
    const checkAccess = (caller: Admission | 'operator') => {
      const mayDo = callerAccess(services, caller, endpoint.decides)
      return passOn(mayDo.toEndpoint(endpoint, { params, query, body }), () => mayDo)
    }
    c.set('checkAccess', checkAccess)
    // open endpoints respond without a configuration, and so without rules
    const checked = OPEN.has(endpoint.group) ? undefined : checkAccess(callerOf(c, services))
    return passOn(checked, (allowed) => {
      access = allowed
      const trace = span ?? services.trace()
      const request = { params, query, body, headers, raw, env: c.env, user, access, trace }
      return handle(endpoint.asksByRecord ? { ...request, reach: reachOf(c, services) } : request)
    })
  }
  const work = () => {
    const maxBodyBytes = endpoint.body ? bodyLimit(endpoint, services) : 0
    const valid = validateRequest(c, endpoint, { maxBodyBytes, ignored })
    return passOn(passOn(valid, handleValid), (result) => respond(c, { endpoint, result, services, span }))
  }
  return catching(work, (error) => {
    if (isAbsent(endpoint, error))
      return respondWithEvents(c, { endpoint, result: undefined, services, span })
    failRequestSpan(span, error)
    if (services.production || !access) throw error
    return explainFailure(error, { request: c.req.raw, access, services }).then((explained) => {
      throw explained
    })
  })
}

/** Files and images are part of messages to agents, a third larger as base64. */
const AGENT_BODY_BYTES = 20 * 1024 * 1024

/** Of the messages to agents, over each API. */
const TO_AGENTS: ReadonlySet<Tag> = new Set(['Agents', 'OpenAI', 'A2A'])

function bodyLimit({ tag }: Endpoint, services: Services): number {
  const { bodyBytes, declaredBodyBytes } = services.current().config.limits
  return TO_AGENTS.has(tag) ? (declaredBodyBytes ?? AGENT_BODY_BYTES) : bodyBytes
}

/** Whether a stream that may be absent was refused like one that does not exist. */
function isAbsent({ reply }: Endpoint, error: unknown): boolean {
  return (
    reply.kind === 'events' &&
    reply.optional === true &&
    error instanceof AppError &&
    error.code === 'not_found'
  )
}

type Served = Partial<Pick<ServerConfig, 'authNext' | 'openai'>>

/** Whether the configuration has an endpoint. */
function isServedBy({ authNext, openai }: Served, { onlyWith, switchedBy }: Endpoint): boolean {
  if (onlyWith !== undefined && authNext?.[onlyWith] === undefined) return false
  return switchedBy === undefined || openai !== false
}

/** Most endpoints are served by every configuration. */
function isServed(endpoint: Endpoint, services: Services): boolean {
  if (endpoint.onlyWith === undefined && endpoint.switchedBy === undefined) return true
  return isServedBy(services.current().config, endpoint)
}

/** The methods of the endpoints at a path, for the `Allow` header. */
export function allowedMethods(path: string, config: Served): string[] {
  const candidates = isFixed(path) ? ROUTES.filter((route) => route.path === path) : ROUTES
  const methods = candidates
    .filter(({ key, pattern }) => pattern.test(path) && isServedBy(config, ENDPOINTS[key]))
    .map(({ method }) => method)
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
}

/** The endpoint at a path for a method, or for any method if it is `ALL`. */
export function endpointAt(method: string, path: string, config: Served): EndpointKey | undefined {
  return ROUTES.find(
    (route) =>
      (method === 'ALL' || route.method === method) &&
      route.pattern.test(path) &&
      isServedBy(config, ENDPOINTS[route.key]),
  )?.key
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

function respond(c: Context<RequestEnv>, outcome: Outcome): Response {
  const { endpoint, result, span } = outcome
  switch (endpoint.reply.kind) {
    case 'data': {
      if (endpoint.reply.events && isStream(result)) return respondWithEvents(c, outcome)
      const { status: own = 200 } = endpoint.reply
      const { data, status, headers, beside } =
        result instanceof Reply ? result : new Reply(result, { status: own })
      endRequestSpan(span, status)
      return createResponse(c, dataEnvelope(data, beside), {
        status,
        headers: { 'Content-Type': 'application/json', ...headers },
      })
    }
    case 'document': {
      const { body, type, headers, status: own = 200 } = result as Document
      const status = body === null ? 304 : own
      endRequestSpan(span, status)
      const contentType = body === null ? {} : { 'Content-Type': type }
      return createResponse(c, body, { status, headers: { ...contentType, ...headers } })
    }
    case 'protocol':
      return respondInProtocol(c, result as Response, outcome)
    case 'events':
      return respondWithEvents(c, outcome)
  }
}

function isStream(result: unknown): result is EventStream {
  return typeof result === 'object' && result !== null && 'events' in result && 'abort' in result
}

/** Passes on the response of another protocol. The span ends with its event stream, if it has one. */
function respondInProtocol(
  c: Context<RequestEnv>,
  response: Response,
  { span, services }: Pick<Outcome, 'span' | 'services'>,
): Response {
  const { status } = response
  const isStream = isEventStream(response) && c.req.method !== 'HEAD'
  if (!isStream || !response.body) {
    endRequestSpan(span, status)
    return copyProtocolResponse(c, response, response.body)
  }
  const body = onBodyEnd(response.body, () => endRequestSpan(span, status))
  return copyProtocolResponse(c, response, whilePermitted(c, body, services))
}

/** Streams events. The span ends with the stream. */
function respondWithEvents(c: Context<RequestEnv>, { result, endpoint, services, span }: Outcome): Response {
  const stream = result as EventStream | undefined
  if (!stream) {
    endRequestSpan(span, 204)
    return createResponse(c, null, { status: 204 })
  }
  const headers = {
    ...EVENT_HEADERS,
    ...(stream.isText && TEXT_HEADERS),
    ...(endpoint.reply.kind === 'events' && endpoint.reply.headers),
  }
  if (c.req.method === 'HEAD') {
    endRequestSpan(span, 200)
    return createResponse(c, null, { status: 200, headers })
  }
  services.openStreams.add(stream.abort)
  const onClose = () => {
    services.openStreams.delete(stream.abort)
    endRequestSpan(span, 200)
  }
  const body = eventStreamBody(stream, onClose, () => c.env?.incoming?.socket.destroy() !== undefined)
  return createResponse(c, whilePermitted(c, body, services), { status: 200, headers })
}

/**
 * Refuses options of a request that need console access which the caller does not have. Without authentication
 * everybody has it.
 *
 * @throws AppError `forbidden` naming the option.
 */
function checkConsoleOptions(
  c: Context<RequestEnv>,
  endpoint: Endpoint,
  { body, services }: { readonly body: unknown; readonly services: Services },
): void {
  const { consoleOptions = [], consoleMembers = [] } = endpoint
  if (consoleOptions.length + consoleMembers.length === 0) return
  if (typeof body !== 'object' || body === null) return
  const members = body as Readonly<Record<string, unknown>>
  const options = (members['options'] ?? {}) as Readonly<Record<string, unknown>>
  const option = consoleOptions.find((name) => options[name] !== undefined)
  const used =
    option === undefined ? consoleMembers.find((name) => members[name] !== undefined) : `options.${option}`
  const admitted = used === undefined ? undefined : c.get('admitted')
  if (!admitted || admitted.gate.policy.mode === 'none') return
  if (admitted.gate.hasConsoleAccess(gateRequest(c, endpoint, services), admitted.admission)) return
  throw new AppError(
    'forbidden',
    `${used}: requires console access: send the console access key as well (x-console-access-key)`,
  )
}

/**
 * Reads a request and validates its parts by the endpoint's schemas.
 *
 * @throws AppError `invalid_input` naming the field, and the errors of `readJsonBody`.
 */
function validateRequest(
  c: Context<RequestEnv>,
  endpoint: Endpoint,
  { maxBodyBytes, ignored }: { readonly maxBodyBytes: number; readonly ignored: IgnoredOptions },
): ValidParts | Promise<ValidParts> {
  const { raw } = c.req
  const queryString = queryValues(c.req.url)
  const params = endpoint.params ? validate(endpoint.params, c.req.param()) : {}
  const query = endpoint.query ? validate(endpoint.query, queryString) : {}
  const valid = (body: unknown) => ({ params, query, body, headers: raw.headers, raw }) as ValidParts
  if (!endpoint.body) return valid(undefined)
  return readBody(raw, endpoint, maxBodyBytes).then((value) => {
    const body = validateBody(endpoint, value)
    if (!endpoint.bodyUnchecked) c.set('ignoredOptions', ignored.in(endpoint, value))
    return valid(body)
  })
}

type ValidParts = Omit<ValidRequest, 'user' | 'access' | 'trace' | 'reach'>

function readBody(request: Request, { bodyUnchecked }: Endpoint, maxBytes: number): Promise<unknown> {
  const read = readJsonBody(request, maxBytes)
  return bodyUnchecked ? read.catch(asValue) : read
}

function validateBody(endpoint: Endpoint, value: unknown): unknown {
  if (value === undefined && endpoint.bodyOptional) return {}
  if (value === undefined) throw new AppError('invalid_input', 'A JSON body is required')
  if (endpoint.bodyUnchecked) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('invalid_input', 'The body must be a JSON object')
  return validate(endpoint.body as z.ZodType, value)
}

/** A body that is not JSON is passed on as its error, which the handler reports in its own protocol. */
function asValue(error: unknown): AppError {
  if (error instanceof AppError && error.code === 'invalid_input') return error
  throw error
}

function validate(schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  throw new AppError('invalid_input', formatIssues(readIssues(error.issues, value, 'zod'), ''))
}
