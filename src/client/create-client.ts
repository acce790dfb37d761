import { requireKind, requireObject } from '../lib/require-object.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { ENDPOINT_LIST } from '../contract/index.ts'
import type { EndpointKey, Endpoints } from '../contract/index.ts'
import { ApiError } from './api-error.ts'
import type { AnswerOf, CallOf } from './call.ts'
import { readEvents } from './read-events.ts'
import type { ConfigTypes, WorkflowId, WorkflowInputOf, WorkflowResultOf } from '../calls/workflow-types.ts'

type TypedParams<Call, Id> = Call extends { params: infer Params }
  ? { params: Omit<Params, 'id'> & { id: Id } }
  : unknown
type TypedBody<Call, Input> = Call extends { body: infer Body extends { input: unknown } }
  ? { body: Omit<Body, 'input'> & { input: Input } }
  : Pick<Call, 'body' & keyof Call>

type TypedCall<Call, Id, Input> = Omit<Call, 'params' | 'body'> &
  TypedParams<Call, Id> &
  TypedBody<Call, Input>

/** Types the member `result` of a result or of the event `workflow-result`. */
type WithResult<Value, Result> = Value extends { result: unknown }
  ? Omit<Value, 'result'> & { result: Result | null }
  : Value

type TypedAnswer<Answer, Result> =
  Answer extends Promise<infer Value>
    ? Promise<WithResult<Value, Result>>
    : Answer extends AsyncGenerator<infer Event>
      ? AsyncGenerator<WithResult<Event, Result>>
      : Answer

/** A method of an endpoint below `/workflows/:id`, with the input and result of the workflow that `params.id` names. */
type WorkflowMethod<E extends Endpoint, Config extends ConfigTypes> = <
  Id extends WorkflowId<Config>,
  Headers extends CallOf<E>['headers'] | undefined = undefined,
>(
  call: TypedCall<CallOf<E>, Id, WorkflowInputOf<Config, Id>> & { headers?: Headers },
) => TypedAnswer<AnswerOf<E, Headers>, WorkflowResultOf<Config, Id>>

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
        call: CallOf<E> & { headers?: Headers },
      ) => AnswerOf<E, Headers>

/**
 * A method for every endpoint, with the endpoint's operation id as its name. With the type of a configuration, methods of
 * workflows have the types of the workflow that `params.id` names.
 */
export type Client<Config extends ConfigTypes = ConfigTypes> = {
  readonly [K in EndpointKey]: string extends WorkflowId<Config>
    ? Method<Endpoints[K]>
    : Endpoints[K] extends { path: `/workflows/:id${string}` }
      ? WorkflowMethod<Endpoints[K], Config>
      : Method<Endpoints[K]>
}

interface AnyCall {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/**
 * Creates a typed client. Calls reject with `ApiError` for error responses, and with the error of `fetch` when the server
 * can't be reached. With the type of a configuration made by `defineConfig()`, ids, inputs and results of its workflows
 * are typed.
 *
 * @example
 * const client = createClient<typeof config>({ baseUrl: 'http://localhost:3141' })
 * const { result } = await client.executeWorkflow({ params: { id: 'order' }, body: { input: { amount: 5 } } })
 */
export function createClient<Config extends ConfigTypes = ConfigTypes>(
  options: ClientOptions,
): Client<Config> {
  requireObject('createClient', 'options', options, {
    token: 'string',
    consoleKey: 'string',
    dev: 'boolean',
    fetch: 'function',
  })
  requireKind('createClient', 'options.baseUrl', options.baseUrl, 'string')
  const { fetch = (request: Request) => globalThis.fetch(request) } = options
  const methods = ENDPOINT_LIST.map(([key, endpoint]) => {
    const send = async (call: AnyCall = {}) => {
      requireCall(key, endpoint, call)
      const response = await fetch(requestFor(endpoint, call, options))
      if (!response.ok) throw await ApiError.from(response)
      return response
    }
    return [key, (call?: AnyCall) => readReply(endpoint, () => send(call))]
  })
  return Object.fromEntries(methods) as Client<Config>
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
