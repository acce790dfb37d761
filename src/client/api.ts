import { requireKind, requireObject } from '../lib/require-object.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { ENDPOINT_LIST } from '../contract/index.ts'
import type { EndpointKey, Endpoints } from '../contract/index.ts'
import { ApiError } from './api-error.ts'
import type { AnswerOf, CallOf } from './call.ts'
import { readEvents } from './read-events.ts'

/** Options of `createClient`. */
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

type Method<E extends Endpoint> =
  object extends CallOf<E>
    ? (call?: CallOf<E>) => AnswerOf<E>
    : <Headers extends CallOf<E>['headers'] | undefined = undefined>(
        call: CallOf<E> & {
          /** Headers of the request. */
          headers?: Headers
        },
      ) => AnswerOf<E, Headers>

type ConsoleKey = {
  [K in EndpointKey]: Endpoints[K]['tag'] extends 'Console' ? K : never
}[EndpointKey]

/**
 * A method for every endpoint, with the endpoint's operation id as its name, and in `console` those for the console. Their
 * texts are the summaries of the endpoints: `keyof Endpoints` takes the comments of the declarations along.
 */
export type ApiClient = {
  readonly [K in keyof Endpoints as Exclude<K, ConsoleKey>]: Method<Endpoints[K]>
} & {
  /** The methods of the endpoints that the pages of the console use. */
  readonly console: { readonly [K in keyof Endpoints as Extract<K, ConsoleKey>]: Method<Endpoints[K]> }
}

interface AnyCall {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** Creates the methods of all endpoints. They reject with `ApiError` for error responses, and with the error of `fetch`. */
export function createApiClient(options: ClientOptions): ApiClient {
  const { fetch = (request: Request) => globalThis.fetch(request) } = options
  const methodOf = (key: EndpointKey, endpoint: Endpoint) => {
    const send = async (call: AnyCall = {}) => {
      requireCall(key, endpoint, call)
      const response = await fetch(requestFor(endpoint, call, options))
      if (!response.ok) throw await ApiError.from(response)
      return response
    }
    return (call?: AnyCall) => readReply(endpoint, () => send(call))
  }
  const methods = (isConsole: boolean) =>
    Object.fromEntries(
      ENDPOINT_LIST.filter(([, { tag }]) => (tag === 'Console') === isConsole).map(([key, endpoint]) => [
        key,
        methodOf(key, endpoint),
      ]),
    )
  return { ...methods(false), console: methods(true) } as unknown as ApiClient
}

/** @throws TypeError naming the method and the part of the call that is missing or of another type. */
function requireCall(method: string, { path }: Endpoint, call: AnyCall): void {
  requireObject(method, 'call', call, {
    params: 'object',
    query: 'object',
    headers: 'object',
    signal: 'object',
  })
  for (const [, name = ''] of path.matchAll(/:(\w+)/g))
    requireKind(method, `call.params.${name}`, call.params?.[name], ['string', 'number'])
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
    encodeURIComponent(params[name] as string),
  )
  const url = new URL(options.baseUrl.replace(/\/$/, '') + path)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value)
  const sent = new Headers(credentials(options))
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent.set(name, value)
  if (body !== undefined) sent.set('Content-Type', 'application/json')
  // Streamable HTTP of MCP requires both
  if (endpoint.reply.kind === 'protocol') sent.set('Accept', 'application/json, text/event-stream')
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
