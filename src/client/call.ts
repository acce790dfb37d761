import type { z } from 'zod'
import type { Endpoint } from '../contract/endpoint.ts'

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

/** The argument of a call: `params`, `query`, `headers` and `body` as of the endpoint, and a signal to abort it. */
export type CallOf<E extends Endpoint> = Part<E, 'params'> &
  Part<E, 'query'> &
  Part<E, 'headers'> &
  (E extends { bodyOptional: true } ? Partial<Part<E, 'body'>> : Part<E, 'body'>) & { signal?: AbortSignal }

type Sequenced<T> = T & { readonly sequence: number }

/**
 * The result of a call: the `data` of the response, an async iterable of events, or the text of a document. The request
 * of an iterable is sent when its first event is read.
 */
export type AnswerOf<E extends Endpoint> = E['reply'] extends {
  kind: 'data'
  schema: infer S extends z.ZodType
}
  ? Promise<z.output<S> | (E['reply'] extends { accepted: infer A extends z.ZodType } ? z.output<A> : never)>
  : E['reply'] extends { kind: 'events'; schema: infer S extends z.ZodType }
    ? AsyncGenerator<Sequenced<z.output<S>>>
    : Promise<string>
