import type { z } from 'zod'
import type { Endpoint } from '../contract/endpoint.ts'
import { ENDPOINT_LIST } from '../contract/index.ts'
import type { EndpointKey, Endpoints } from '../contract/index.ts'
import { ApiError } from './api-error.ts'
import { readEvents } from './read-events.ts'

export interface ClientOptions {
  /** The URL of the server, such as `http://localhost:3141`. */
  readonly baseUrl: string
  /** User token, sent as `Authorization: Bearer …`. */
  readonly token?: string | undefined
  /** Console access key, sent as `x-console-access-key`. */
  readonly consoleKey?: string | undefined
  /** Use the development bypass. Servers in production refuse it. */
  readonly dev?: boolean | undefined
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
}

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

type Method<E extends Endpoint> =
  object extends CallOf<E> ? (call?: CallOf<E>) => AnswerOf<E> : (call: CallOf<E>) => AnswerOf<E>

/** A method for every endpoint, with the endpoint's operation id as its name. */
export type Client = { readonly [K in EndpointKey]: Method<Endpoints[K]> }

interface AnyCall {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/**
 * Creates a typed client. Calls reject with `ApiError` for error responses, and with the error of `fetch` when the server
 * can't be reached.
 */
export function createClient(options: ClientOptions): Client {
  const { fetch = (request: Request) => globalThis.fetch(request) } = options
  const methods = ENDPOINT_LIST.map(([key, endpoint]) => {
    const send = async (call: AnyCall = {}) => {
      const response = await fetch(requestFor(endpoint, call, options))
      if (!response.ok) throw await ApiError.from(response)
      return response
    }
    return [key, (call?: AnyCall) => readReply(endpoint, () => send(call))]
  })
  return Object.fromEntries(methods) as Client
}

function readReply(endpoint: Endpoint, send: () => Promise<Response>): unknown {
  switch (endpoint.reply.kind) {
    case 'events':
      return readEvents(send)
    case 'document':
    case 'protocol':
      return send().then((response) => response.text())
    case 'data':
      return send().then(async (response) => ((await response.json()) as { data: unknown }).data)
  }
}

function requestFor(endpoint: Endpoint, call: AnyCall, options: ClientOptions): Request {
  const { params = {}, query = {}, headers = {}, body, signal } = call
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const url = new URL(options.baseUrl.replace(/\/$/, '') + path)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value)
  const sent = new Headers(credentials(options))
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent.set(name, value)
  if (body !== undefined) sent.set('Content-Type', 'application/json')
  return new Request(url, {
    method: endpoint.method,
    headers: sent,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}

function credentials({ token, consoleKey, dev }: ClientOptions): Record<string, string> {
  return {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(consoleKey !== undefined && { 'x-console-access-key': consoleKey }),
    ...(dev === true && { 'x-service-dev': 'true' }),
  }
}
