import type { Context } from 'hono'
import type { Endpoint, Group } from '../../contract/endpoint.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { ATTRIBUTE } from '../../contract/attributes.ts'
import type { OpenSpan } from '../../lib/telemetry/trace-scope.ts'
import type { Services } from '../services.ts'

/** Groups whose requests are neither traced nor logged: whoever looks at traces and the log would make more. */
export const UNTRACED: ReadonlySet<Group> = new Set(['observability', 'health', 'assets'])

/**
 * Starts the span of a request that was let in. Those that only read have none, unless the caller traces them:
 * consoles ask all the time.
 */
export function endpointSpan(c: Context, endpoint: Endpoint, services: Services): OpenSpan | undefined {
  const { group, method, path } = endpoint
  if (UNTRACED.has(group) || (method === 'GET' && c.req.header('traceparent') === undefined)) return undefined
  return requestSpan(c, path, services)
}

/** Starts the span of a request, below the caller's where it names one (W3C Trace Context). */
export function requestSpan(c: Context, route: string | undefined, services: Services): OpenSpan | undefined {
  const root = services.trace()
  if (!root.records) return undefined
  const { method, path } = c.req
  const traceparent = c.req.header('traceparent')
  const scope =
    traceparent === undefined ? root : root.below({ traceparent, tracestate: c.req.header('tracestate') })
  const span = scope.start(route === undefined ? method : `${method} ${route}`, {
    kind: 'server',
    // by the clock of the spans within: none of them begins before it
    ageMs: performance.now() - (c.get('arrivedAt') as number),
    attributes: {
      [ATTRIBUTE.httpMethod]: method,
      [ATTRIBUTE.httpRoute]: route,
      [ATTRIBUTE.urlPath]: path,
    },
  })
  c.set('place', span.place)
  return span
}

/** Ends the span of a request that was answered. */
export function endRequest(span: OpenSpan | undefined, status: number): void {
  if (!span) return
  span.set({ [ATTRIBUTE.httpStatus]: status })
  if (status >= 500) span.fail(failure(status, `Answered with ${status}`))
  span.end()
}

/** Ends the span of a request that is refused or failed. A caller's mistake is no failure of the server. */
export function failRequest(span: OpenSpan | undefined, error: unknown): void {
  if (!span) return
  const status = error instanceof AppError ? error.status : 500
  span.set({ [ATTRIBUTE.httpStatus]: status })
  if (status >= 500) span.fail(failure(status, messageOf(error)))
  else span.set({ [ATTRIBUTE.errorType]: String(status) })
  span.end()
}

/** The convention has the status code as the kind of error. */
function failure(status: number, message: string): { name: string; message: string } {
  return { name: String(status), message }
}
