import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { CallerAccess } from '../../auth/caller-access.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { User } from '../../contract/auth.ts'

/** Headers by name, in the spelling in which they are sent. */
export type HeaderRecord = Readonly<Record<string, string>>

interface ReplyOptions {
  readonly status?: 200 | 202
  readonly headers?: HeaderRecord
  /** Members of the envelope in addition to the data; the endpoint's `beside` describes them. */
  readonly beside?: Readonly<Record<string, unknown>>
}

/** A reply with a status, headers or other members of the envelope beside its data. */
export class Reply<T> {
  readonly data: T
  readonly status: 200 | 202
  readonly headers: HeaderRecord

  readonly beside: ReplyOptions['beside']

  constructor(data: T, options: ReplyOptions = {}) {
    this.data = data
    this.status = options.status ?? 200
    this.headers = options.headers ?? {}
    this.beside = options.beside
  }
}

/** A page or asset outside the envelope. */
export interface Document {
  /** `null` when the client's copy is current: the response is a 304. */
  readonly body: string | Uint8Array<ArrayBuffer> | null
  readonly type: string
  /** Default: 200. */
  readonly status?: 400 | 404
  readonly headers?: HeaderRecord
}

/** One message of a stream. */
export interface OutgoingEvent {
  /** The event's `id`. */
  readonly seq?: number
  /** The event's `event`. Default: none, which means `message`. */
  readonly event?: string
  readonly data: string
}

/** Events to stream; `abort` ends the stream. */
export interface EventStream {
  readonly events: AsyncGenerator<OutgoingEvent>
  readonly abort: AbortController
  /** The data of the events is sent as plain text, which breaks off when it fails. */
  readonly isText?: true
}

type Output<S, Fallback> = S extends z.ZodType ? z.output<S> : Fallback
type Field<E, K extends string> = E extends Readonly<Record<K, infer S>> ? S : undefined

/** The connection of a request. `incoming` is missing for one that did not arrive on a port. */
export interface RequestConnection {
  readonly incoming?: IncomingMessage
}

/** A request whose parts were validated by the endpoint's schemas. */
export interface ValidRequest<E extends Endpoint = Endpoint> {
  readonly params: Output<Field<E, 'params'>, object>
  readonly query: Output<Field<E, 'query'>, object>
  /** With `bodyUnchecked`, a body that is not JSON is the error that describes why. */
  readonly body: E extends { bodyUnchecked: true } ? unknown : Output<Field<E, 'body'>, undefined>
  readonly headers: Headers
  /** The original request; its signal aborts when the client disconnects. */
  readonly raw: Request
  /** The connection on which it arrived. */
  readonly env: RequestConnection
  /** The authenticated user, if any. */
  readonly user: User | undefined
  /** What the caller may do with the resources that the request names. */
  readonly access: CallerAccess
  /**
   * What the caller may do over another endpoint, as the gate admits the request there; of endpoints with `asksByRecord`.
   *
   * @throws AppError `unauthorized`
   */
  readonly reach: (endpoint: Endpoint, path: string) => Promise<CallerAccess>
  /** The request's trace, parent of the spans of the work. */
  readonly trace: TraceScope
}

type Accepted<R> = R extends { accepted: infer A } ? Output<A, never> : never

/** The return value of an endpoint's handler. */
export type ResultOf<E extends Endpoint> = E['reply'] extends { kind: 'data'; schema: infer S }
  ?
      | Output<S, never>
      | Reply<Output<S, never> | Accepted<E['reply']>>
      | (E['reply'] extends { events: z.ZodType } ? EventStream : never)
      | (E['reply'] extends { unreadable: infer U } ? Output<U, never> : never)
  : E['reply'] extends { kind: 'events' }
    ? EventStream | (E['reply'] extends { optional: true } ? undefined : never)
    : E['reply'] extends { kind: 'protocol' }
      ? Response
      : Document

export type Handler<E extends Endpoint> = (request: ValidRequest<E>) => ResultOf<E> | Promise<ResultOf<E>>
