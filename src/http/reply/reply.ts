import type { z } from 'zod'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { User } from '../../contract/auth.ts'

/** A reply that is more than its data. */
export class Reply<T> {
  readonly data: T
  readonly status: 200 | 202
  readonly headers: Readonly<Record<string, string>>

  constructor(data: T, options: { status?: 200 | 202; headers?: Readonly<Record<string, string>> } = {}) {
    this.data = data
    this.status = options.status ?? 200
    this.headers = options.headers ?? {}
  }
}

/** A page or asset outside the envelope. */
export interface Document {
  /** `null` when the client has the document already, which is told with 304. */
  readonly body: string | Uint8Array<ArrayBuffer> | null
  readonly type: string
  readonly headers?: Readonly<Record<string, string>>
}

/** One message of a stream. */
export interface SentEvent {
  /** Sent as its `id`. */
  readonly seq?: number
  readonly data: string
}

/** Events to be streamed; `abort` ends them from outside. */
export interface EventStream {
  readonly events: AsyncGenerator<SentEvent>
  readonly abort: AbortController
}

type Output<S, Otherwise> = S extends z.ZodType ? z.output<S> : Otherwise
type Field<E, K extends string> = E extends Readonly<Record<K, infer S>> ? S : undefined

/** A request whose parts were checked by the endpoint's schemas. */
export interface CheckedRequest<E extends Endpoint = Endpoint> {
  readonly params: Output<Field<E, 'params'>, object>
  readonly query: Output<Field<E, 'query'>, object>
  /** An unchecked one that is not JSON is the error that says why. */
  readonly body: E extends { bodyUnchecked: true } ? unknown : Output<Field<E, 'body'>, undefined>
  readonly headers: Headers
  /** As it came; its signal aborts when the client leaves. */
  readonly raw: Request
  /** Who asks, where the auth provider told it. */
  readonly user: User | undefined
  /** What is below this is in the request's trace. */
  readonly trace: TraceScope
}

type Accepted<R> = R extends { accepted: infer A } ? Output<A, never> : never

/** What a handler gives back for an endpoint. */
export type ResultOf<E extends Endpoint> = E['reply'] extends { kind: 'data'; schema: infer S }
  ? Output<S, never> | Reply<Output<S, never> | Accepted<E['reply']>>
  : E['reply'] extends { kind: 'events' }
    ? EventStream
    : E['reply'] extends { kind: 'protocol' }
      ? Response
      : Document

export type Handler<E extends Endpoint> = (request: CheckedRequest<E>) => ResultOf<E> | Promise<ResultOf<E>>
