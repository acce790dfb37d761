import type { z } from 'zod'
import type { CallOf as ClientCall } from '../../client/call.ts'
import type { EndpointKey, Endpoints } from '../../contract/index.ts'

/**
 * The arguments of a call: `params`, `query`, `headers`, `body` and an abort signal. A 401 response to a `quiet`
 * call, such as a poll, opens no credentials dialog. A `keepalive` request outlives the page; its body has a limit of
 * 64 KiB.
 */
export type CallOf<K extends EndpointKey> = ClientCall<Endpoints[K]> & {
  quiet?: boolean
  keepalive?: boolean
}

/** The `data` of an endpoint's response. */
export type DataOf<K extends EndpointKey> = Endpoints[K]['reply'] extends {
  kind: 'data'
  schema: infer S extends z.ZodType
}
  ?
      | z.output<S>
      | (Endpoints[K]['reply'] extends { accepted: infer A extends z.ZodType } ? z.output<A> : never)
  : string

/** One event of an endpoint's stream. */
export type EventOf<K extends EndpointKey> = Endpoints[K]['reply'] extends {
  kind: 'events'
  schema: infer S extends z.ZodType
}
  ? z.output<S>
  : Endpoints[K]['reply'] extends { events: infer S extends z.ZodType }
    ? z.output<S>
    : never

/** Endpoints that return data. */
export type DataKey = KeyWith<{ kind: 'data' }>
/** Endpoints that return a stream of events. */
export type EventsKey = KeyWith<{ kind: 'events' } | { events: z.ZodType }>
type KeyWith<Reply> = {
  [K in EndpointKey]: Endpoints[K]['reply'] extends Reply ? K : never
}[EndpointKey]

/** A call of any endpoint. */
export interface AnyCall {
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string | undefined>> | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  readonly quiet?: boolean | undefined
  readonly keepalive?: boolean | undefined
}
