import type { EndpointKey } from '../../contract/index.ts'
import type { Addresses } from './addresses.ts'
import type { AnyCall, CallOf, DataKey, DataOf, EventOf, EventsKey } from './call.ts'
import type { Credentials } from './credentials.ts'
import { fillMissing } from './fill-missing.ts'
import type { Shape } from './fill-missing.ts'
import { ApiError } from '../../client/api-error.ts'
import { serverClock } from '../ui/time/use-now.ts'
import { unreachable } from './request-failure.ts'
import type { Access } from '../../contract/endpoint.ts'

/** Data of a response, with its status and headers. */
export interface ApiResponse<T> {
  readonly data: T
  readonly status: number
  readonly headers: Headers
  /** Members of the envelope in addition to the data; a server of another version may not send them. */
  readonly beside: Readonly<Record<string, unknown>>
}

/**
 * The API of the server, typed by its contract: `api.call('getWorkflow', { params: { id } })`. After a 401 response
 * the user is prompted for credentials and the request is retried. Calls reject with ApiError.
 */
export class Api {
  readonly #addresses: Addresses
  readonly #credentials: Credentials
  readonly #onFailure: () => void

  /** `onFailure` is called when the server does not respond, or fails to. */
  constructor(addresses: Addresses, credentials: Credentials, onFailure: () => void) {
    this.#addresses = addresses
    this.#onFailure = onFailure
    this.#credentials = credentials
  }

  /** The data of an endpoint's response. */
  async call<K extends DataKey>(key: K, call: CallOf<K>): Promise<DataOf<K>> {
    return (await this.request(key, call)).data
  }

  /** The data with status and headers, such as `X-Total-Count`. */
  async request<K extends DataKey>(key: K, call: CallOf<K>): Promise<ApiResponse<DataOf<K>>> {
    const kind = call.quiet === true ? undefined : credentialKindOf(key)
    const response = await this.send(this.urlOf(key, call), initOf(key, call), kind)
    const { data, ...beside } = (await response.json()) as { data: unknown }
    return {
      data: fillMissing(data, shapeOf(key)) as DataOf<K>,
      status: response.status,
      headers: response.headers,
      beside,
    }
  }

  /** The events of an endpoint's stream. Leaving the loop or aborting the signal ends the request. */
  async *events<K extends EventsKey>(key: K, call: CallOf<K>): AsyncGenerator<EventOf<K>> {
    const { readEvents } = await import('../../client/read-events.ts')
    const kind = call.quiet === true ? undefined : credentialKindOf(key)
    const headers = { Accept: 'text/event-stream' }
    const events = readEvents(() => this.send(this.urlOf(key, call), initOf(key, { ...call, headers }), kind))
    yield* events as AsyncGenerator<EventOf<K>>
  }

  /** The text of a document, such as `getApiDescription`. */
  async text(key: EndpointKey, call: AnyCall = {}): Promise<string> {
    return (await this.send(this.urlOf(key, call), initOf(key, call), credentialKindOf(key))).text()
  }

  /** The absolute URL of a call. */
  urlOf(key: EndpointKey, { params = {}, query = {} }: AnyCall): string {
    const path = endpointOf(key).path.replaceAll(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    )
    const url = new URL(this.#addresses.api + path.slice(1), this.#addresses.origin)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== '') url.searchParams.set(name, value)
    return url.href
  }

  /** Sends a request with the stored credentials; `kind` is the credential to prompt for after a 401, if any. */
  async send(url: string, init: RequestInit, kind: 'key' | 'token' | undefined): Promise<Response> {
    const response = await this.exchange(url, init, kind)
    if (!response.ok) throw await ApiError.from(response)
    return response
  }

  /** Sends a request like `send`, but resolves for every status. Rejects when the server is unreachable. */
  async exchange(url: string, init: RequestInit, kind: 'key' | 'token' | undefined): Promise<Response> {
    for (;;) {
      const sent = this.#credentials.headers()
      const allHeaders = { ...sent, ...(init.headers as Record<string, string>) }
      const response = await fetch(url, { ...init, headers: allHeaders, credentials: 'omit' }).catch(
        (error: unknown) => {
          if (init.signal?.aborted) throw error
          this.#onFailure()
          throw unreachable(error)
        },
      )
      serverClock.set(response.headers.get('date'))
      if (response.status >= 500) this.#onFailure()
      if (response.status !== 401) return response
      // another request may have found a credential since this one was sent
      const isOutdated = JSON.stringify(sent) !== JSON.stringify(this.#credentials.headers())
      if (!isOutdated && !(await this.#findCredential(kind))) return response
    }
  }

  /** Finds a credential after a 401: the development bypass first, then one from the user. */
  async #findCredential(kind: 'key' | 'token' | undefined): Promise<boolean> {
    if (!this.#credentials.bypass && this.#credentials.get(kind ?? 'key') === undefined) {
      this.#credentials.bypass = await this.#isBypassAllowed()
      if (this.#credentials.bypass) return true
    }
    return kind === undefined ? false : this.#credentials.prompt(kind)
  }

  async #isBypassAllowed(): Promise<boolean> {
    const url = this.urlOf('listWorkflows', {})
    try {
      return (await fetch(url, { method: 'HEAD', headers: { 'x-service-dev': 'true' } })).ok
    } catch (error) {
      throw unreachable(error)
    }
  }
}

function credentialKindOf(key: EndpointKey): 'key' | 'token' {
  return endpointOf(key).access === 'user' ? 'token' : 'key'
}

function initOf(key: EndpointKey, { headers = {}, body, signal, keepalive }: AnyCall): RequestInit {
  const defined = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return {
    method: endpointOf(key).method,
    headers: {
      ...Object.fromEntries(defined),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    ...(keepalive && { keepalive }),
  }
}

type Entry = readonly [
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  access: Access,
  reply: 'data' | 'events' | 'document' | 'protocol',
]

/** Defined by the build from the contract, so that the bundle contains no schemas. */
declare const ENDPOINT_TABLE: Readonly<Record<EndpointKey, Entry>>
declare const ANSWER_SHAPES: Readonly<Partial<Record<EndpointKey, Shape>>>
declare const CHANNEL_TABLE: Readonly<Record<'console', string>>

/** Method, path, access class and kind of reply of an endpoint. */
function endpointOf(key: EndpointKey) {
  const [method, path, access, reply] = ENDPOINT_TABLE[key]
  return { method, path, access, reply }
}

/** What a screen reads of an endpoint's data. */
function shapeOf(key: EndpointKey): Shape | undefined {
  return ANSWER_SHAPES[key]
}

/** Paths of the server's WebSocket channels. */
export function channelPath(name: 'console'): string {
  return CHANNEL_TABLE[name]
}
