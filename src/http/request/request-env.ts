import type { IncomingMessage } from 'node:http'
import type { Group } from '../../contract/endpoint.ts'
import type { SpanIds } from '../../lib/telemetry/trace-scope.ts'
import type { HeaderRecord } from '../reply/reply.ts'

/** Hono's types of a request. */
export interface RequestEnv {
  /** `incoming` is missing for requests that did not arrive on a port. */
  Bindings: { readonly incoming?: IncomingMessage }
  Variables: {
    requestId: string
    /** The request's start by `performance.now()`. */
    startedAt: number
    corsHeaders: HeaderRecord | undefined
    /** The pattern of the matched route. */
    route: string | undefined
    /** The group of the matched endpoint. */
    group: Group | undefined
    /** The ids of the request's span, if it has one. */
    spanIds: SpanIds | undefined
  }
}
