import type { Admission } from '../../auth/admission.ts'
import type { Expiry, Gate } from '../../auth/gate.ts'
import type { Endpoint, Group } from '../../contract/endpoint.ts'
import type { SpanIds } from '../../lib/telemetry/trace-scope.ts'
import type { RequestConnection, HeaderRecord } from '../reply/reply.ts'

/** How the gate admitted a request. */
export interface Admitted {
  readonly gate: Gate
  /** `undefined` for custom and unknown routes. */
  readonly endpoint: Endpoint | undefined
  readonly admission: Admission
  /** When the user's token ends. Throws what the provider does. */
  readonly expiresAt: () => Expiry
}

/** Hono's types of a request. */
export interface RequestEnv {
  Bindings: RequestConnection
  Variables: {
    requestId: string
    /** The request's start by `performance.now()`. */
    startedAt: number
    corsHeaders: HeaderRecord | undefined
    /** The pattern of the matched route. */
    route: string | undefined
    /** The group of the matched endpoint. */
    group: Group | undefined
    /** How the gate admitted the request; `undefined` before that, and for requests of the operator. */
    admitted: Admitted | undefined
    /** Checks what an admitted caller may do with the resources that the request names, by the rules in force. */
    checkAccess: ((admission: Admission) => unknown) | undefined
    /** The members of `options` that the endpoint does not know, as in the header. */
    ignoredOptions: string | undefined
    /** The ids of the request's span, if it has one. */
    spanIds: SpanIds | undefined
  }
}
