import type { Context } from 'hono'
import { ATTRIBUTE, callerAttributes } from '../../contract/attributes.ts'
import type { User } from '../../contract/auth.ts'
import type { Endpoint, Group } from '../../contract/endpoint.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import type { OpenSpan } from '../../lib/telemetry/trace-scope.ts'
import type { RequestEnv } from './request-env.ts'
import type { Services } from '../services.ts'

/** Groups whose requests are neither traced nor logged: reading traces and logs must not produce more of them. */
export const UNTRACED: ReadonlySet<Group> = new Set(['observability', 'health', 'assets'])

interface SpanSources {
  readonly services: Services
  /** The authenticated user. */
  readonly user: User | undefined
}

/**
 * Starts the span of a request to an endpoint. GET requests have one only when the caller sends a
 * `traceparent`: consoles poll, and their reads would fill the list of traces.
 */
export function startEndpointSpan(
  c: Context<RequestEnv>,
  endpoint: Endpoint,
  { services, user }: SpanSources,
): OpenSpan | undefined {
  const { group, method, path } = endpoint
  if (UNTRACED.has(group) || (method === 'GET' && c.req.header('traceparent') === undefined)) return undefined
  return startRequestSpan(c, path, { services, user })
}

/** Starts the span of a request, as a child of the caller's span if the request has one (W3C Trace Context). */
export function startRequestSpan(
  c: Context<RequestEnv>,
  route: string | undefined,
  { services, user }: SpanSources,
): OpenSpan | undefined {
  const root = services.trace()
  if (!root.isRecording) return undefined
  const { method, path } = c.req
  const traceparent = c.req.header('traceparent')
  const scope =
    traceparent === undefined
      ? root
      : root.fromHeaders({ traceparent, tracestate: c.req.header('tracestate') })
  const span = scope.start(route === undefined ? method : `${method} ${route}`, {
    kind: 'server',
    // the span starts with the request, and so before its child spans
    ageMs: performance.now() - c.get('startedAt'),
    attributes: {
      [ATTRIBUTE.httpMethod]: method,
      [ATTRIBUTE.httpRoute]: route,
      [ATTRIBUTE.urlPath]: path,
      [ATTRIBUTE.urlScheme]: c.req.url.startsWith('https:') ? 'https' : 'http',
    },
    inherited: callerAttributes({ userId: user?.id }),
  })
  c.set('spanIds', span.spanIds)
  return span
}

/** Ends the span of a request that got a response. */
export function endRequestSpan(span: OpenSpan | undefined, status: number): void {
  if (!span) return
  span.setAttributes({ [ATTRIBUTE.httpStatus]: status })
  if (status >= 500) span.fail(statusError(status, `Response status ${status}`))
  span.end()
}

/** Ends the span of a request that was refused or failed. Only statuses from 500 on mark the span as failed. */
export function failRequestSpan(span: OpenSpan | undefined, error: unknown): void {
  if (!span) return
  const status = error instanceof AppError ? error.status : 500
  span.setAttributes({ [ATTRIBUTE.httpStatus]: status })
  if (status >= 500) span.fail(statusError(status, messageOf(error)))
  else span.setAttributes({ [ATTRIBUTE.errorType]: String(status) })
  span.end()
}

/** The semantic conventions for HTTP use the status code as `error.type`. */
function statusError(status: number, message: string): { name: string; message: string } {
  return { name: String(status), message }
}
