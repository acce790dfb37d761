import type { z } from 'zod'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { EndpointKey, Endpoints } from '../../contract/index.ts'

type Input<E, K extends string> =
  E extends Readonly<Record<K, infer S extends z.ZodType>> ? z.input<S> : undefined
type Part<E, K extends string> =
  Input<E, K> extends undefined
    ? { [P in K]?: undefined }
    : object extends Input<E, K>
      ? { [P in K]?: Input<E, K> }
      : { [P in K]: Input<E, K> }

/**
 * What a call of an endpoint takes: its `params`, `query`, `headers` and `body`, and a signal that ends it. A `quiet`
 * one, as those that repeat by themselves, asks the person for nothing.
 */
export type CallOf<K extends EndpointKey> = PartsOf<Endpoints[K]> & { signal?: AbortSignal; quiet?: boolean }
type PartsOf<E extends Endpoint> = Part<E, 'params'> &
  Part<E, 'query'> &
  Part<E, 'headers'> &
  (E extends { bodyOptional: true } ? Partial<Part<E, 'body'>> : Part<E, 'body'>)

/** The `data` of an endpoint's answer. */
export type DataOf<K extends EndpointKey> = Endpoints[K]['reply'] extends {
  kind: 'data'
  schema: infer S extends z.ZodType
}
  ?
      | z.output<S>
      | (Endpoints[K]['reply'] extends { accepted: infer A extends z.ZodType } ? z.output<A> : never)
  : string

/** One event of an endpoint's stream, with its sequence number where the server gives one. */
export type EventOf<K extends EndpointKey> = Endpoints[K]['reply'] extends {
  kind: 'events'
  schema: infer S extends z.ZodType
}
  ? z.output<S> & { readonly sequence?: number }
  : never

/** Endpoints that answer with data. */
export type DataKey = KeyWith<'data'>
/** Endpoints that answer with a stream of events. */
export type EventsKey = KeyWith<'events'>
type KeyWith<Kind> = {
  [K in EndpointKey]: Endpoints[K]['reply'] extends { kind: Kind } ? K : never
}[EndpointKey]

/** A call whatever its endpoint. */
export interface AnyCall {
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string | undefined>> | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  readonly quiet?: boolean | undefined
}
