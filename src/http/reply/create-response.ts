import type { Context } from 'hono'
import { IGNORED_OPTIONS_HEADER } from '../request/ignored-options.ts'
import type { RequestEnv } from '../request/request-env.ts'
import type { HeaderRecord } from './reply.ts'

/** Responses have data of the moment, and of one user: no browser or proxy keeps them. */
const NO_STORE = { 'Cache-Control': 'no-store' }

/**
 * Creates a response, with the headers of every response to the request. They are a plain object, which the Node
 * adapter sends without the cost of a `Headers` instance.
 */
export function createResponse(
  c: Context<RequestEnv>,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  { status, headers }: { readonly status: number; readonly headers?: HeaderRecord },
): Response {
  return new Response(body, { status, headers: Object.assign(commonHeaders(c), NO_STORE, headers) })
}

/** Copies a response of another protocol. */
export function copyProtocolResponse(
  c: Context<RequestEnv>,
  response: Response,
  body: ReadableStream<Uint8Array> | null,
): Response {
  const copy = copyResponse(c, response, body)
  copy.headers.set('Cache-Control', NO_STORE['Cache-Control'])
  return copy
}

/** Copies a response of other code, and adds the headers of every response to the request that it does not have. */
export function copyResponse(
  c: Context<RequestEnv>,
  response: Response,
  body: ReadableStream<Uint8Array> | null = response.body,
): Response {
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(commonHeaders(c)))
    if (!headers.has(name)) headers.set(name, value)
  return new Response(body, { status: response.status, headers })
}

function commonHeaders(c: Context<RequestEnv>): Record<string, string> {
  const headers = { 'X-Request-Id': c.get('requestId'), 'X-Content-Type-Options': 'nosniff' }
  const ignored = c.get('ignoredOptions')
  return Object.assign(
    headers,
    ignored === undefined ? undefined : { [IGNORED_OPTIONS_HEADER]: ignored },
    c.get('corsHeaders'),
  )
}
