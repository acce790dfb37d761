import type { z } from 'zod'
import type { Endpoint } from '../contract/endpoint.ts'
import type { EndpointKey, Endpoints } from '../contract/index.ts'
import type { StartHeaders } from '../contract/endpoints/workflow.ts'

type Input<E, K extends string> =
  E extends Readonly<Record<K, infer S extends z.ZodType>> ? z.input<S> : undefined
type Optional<E, K extends string> =
  undefined extends Input<E, K> ? true : object extends Input<E, K> ? true : false
type Part<E, K extends string> =
  Input<E, K> extends undefined
    ? { [P in K]?: undefined }
    : Optional<E, K> extends true
      ? { [P in K]?: Input<E, K> }
      : { [P in K]: Input<E, K> }

/** The texts of the members of a call, for editors. */
interface Texts {
  /** Parameters of the path. */
  params?: unknown
  /** Parameters of the query. */
  query?: unknown
  /** Headers of the request. */
  headers?: unknown
  /** Body of the request, sent as JSON. */
  body?: unknown
}

/** The argument of a call: `params`, `query`, `headers` and `body` as of the endpoint, and a signal to abort it. */
export type CallOf<E extends Endpoint> = Texts &
  Part<E, 'params'> &
  Part<E, 'query'> &
  Part<E, 'headers'> &
  (E extends { bodyOptional: true } ? Partial<Part<E, 'body'>> : Part<E, 'body'>) & {
    /** Aborts the request, or ends the stream. */
    signal?: AbortSignal
  }

/** The data of a 202 response. A call without headers can't get that of an endpoint that sends it on request. */
type Accepted<E extends Endpoint, Headers> = E['reply'] extends { accepted: infer A extends z.ZodType }
  ? [E, Headers] extends [{ headers: typeof StartHeaders }, undefined]
    ? never
    : z.output<A>
  : never

type Sequenced<T> = T & {
  /** Sequence number of the event. */
  readonly sequence: number
}

/**
 * The result of a call: the `data` of the response, an async iterable of events, or the text of a document. The request
 * of an iterable is sent when its first event is read. `Headers` is the type of the call's `headers`.
 */
export type AnswerOf<E extends Endpoint, Headers = CallOf<E>['headers']> = E['reply'] extends {
  kind: 'data'
  schema: infer S extends z.ZodType
}
  ? Promise<z.output<S> | Accepted<E, Headers>>
  : E['reply'] extends { kind: 'events'; schema: infer S extends z.ZodType }
    ? AsyncGenerator<Sequenced<z.output<S>>>
    : Promise<string>

/** The body of a call of an endpoint. */
export type BodyOf<K extends EndpointKey> =
  CallOf<Endpoints[K]> extends { readonly body?: infer Body } ? NonNullable<Body> : never

/** The data of a response of an endpoint, also of one with status 202. */
export type DataOf<K extends EndpointKey> = Awaited<AnswerOf<Endpoints[K]>>

export interface Abortable {
  /** Aborts the request, or ends the stream. */
  readonly signal?: AbortSignal | undefined
}

/** Only a signal that is there: the calls have no member that is undefined. */
export function abortedBy({ signal }: Abortable): { readonly signal?: AbortSignal } {
  return signal ? { signal } : {}
}

/** Numbers as the texts of a query, without those that are undefined. */
export function numbers<Name extends string>(values: Readonly<Record<Name, number | undefined>>) {
  const set = Object.entries<number | undefined>(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)])) as { [K in Name]?: string }
}
