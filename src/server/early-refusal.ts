import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorEnvelope } from '../lib/json/envelope.ts'

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Why a request must not be dispatched: its host is missing, invalid or ambiguous. `undefined` when it is fine. */
export function hostProblem({ rawHeaders, url = '' }: IncomingMessage): string | undefined {
  const hosts: string[] = []
  for (let name = 0; name < rawHeaders.length; name += 2)
    if (rawHeaders[name]?.toLowerCase() === 'host') hosts.push(rawHeaders[name + 1] ?? '')
  const [host = ''] = hosts
  if (hosts.length !== 1) return 'The request must have exactly one Host header'
  if (!HOST.test(host)) return 'The Host header is not valid'
  if (url.startsWith('/')) return undefined
  if (!URL.canParse(url)) return 'The request target is not valid'
  const isSame = new URL(url).host === new URL(`http://${host}`).host
  return isSame ? undefined : 'The request target and the Host header name different hosts'
}

export type Refusal = readonly [status: number, message: string]

/** Refuses a request without dispatching it, and closes its connection: its body was not read. */
export function refuseRequest(response: ServerResponse, [status, message]: Refusal, requestId: string): void {
  const body = errorEnvelope(message)
  response.writeHead(status, headersFor(body, requestId)).end(body)
}

/** A response of the Fetch API in the same form. */
export function refusalResponse([status, message]: Refusal, requestId: string): Response {
  const body = errorEnvelope(message)
  return new Response(body, { status, headers: headersFor(body, requestId) })
}

const PARSE_ERRORS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
  CONNECT: [405, 'CONNECT is not allowed here; use GET or HEAD or POST'],
}

/** Responds on the socket itself to bytes that are not a valid HTTP request, and closes it. */
export function refuseBytes(socket: Duplex, code: string | undefined, requestId: string): void {
  const [status, message] = PARSE_ERRORS[code ?? ''] ?? [400, 'The request is not valid HTTP']
  const body = errorEnvelope(message)
  const allow = status === 405 ? { Allow: 'GET, HEAD, POST' } : {}
  const headers = Object.entries({ ...headersFor(body, requestId), ...allow }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}\r\n${body}`
  socket.end(text, () => socket.destroy())
}

function headersFor(body: string, requestId: string): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    Connection: 'close',
  }
}
