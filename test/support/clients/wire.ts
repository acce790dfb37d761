import { expect } from 'vitest'
import { rawRequest } from './raw-request.ts'
import type { RawRequestOptions } from './raw-request.ts'

/** An HTTP response as received on the connection. */
export interface WireAnswer {
  readonly status: number
  /** Headers by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Parses all responses of a connection. Bodies end according to their length or last chunk. */
export function answersIn(text: string): WireAnswer[] {
  const answers: WireAnswer[] = []
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n')
    const [line = '', ...lines] = rest.slice(0, end === -1 ? rest.length : end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1] ?? Number.NaN)
    const headers = new Map(
      lines.map((header) => [
        header.slice(0, header.indexOf(':')).toLowerCase(),
        header.slice(header.indexOf(':') + 1).trim(),
      ]),
    )
    rest = end === -1 ? '' : rest.slice(end + 4)
    const { body, length } = bodyIn(rest, { status, headers })
    rest = rest.slice(length)
    if (status !== 100) answers.push({ status, headers, body })
  }
  return answers
}

function bodyIn(
  rest: string,
  { status, headers }: Omit<WireAnswer, 'body'>,
): { body: string; length: number } {
  if (status === 204 || status === 100 || rest.startsWith('HTTP/1.1 ')) return { body: '', length: 0 }
  const length = headers.get('content-length')
  if (length !== undefined)
    return { body: rest.slice(0, Number(length)), length: Math.min(rest.length, Number(length)) }
  if (headers.get('transfer-encoding') !== 'chunked') return { body: rest, length: rest.length }
  let body = ''
  let at = 0
  for (;;) {
    const [, size = '0'] = /^([\da-f]+)\r\n/i.exec(rest.slice(at)) ?? []
    at += size.length + 2
    body += rest.slice(at, at + Number.parseInt(size, 16))
    at += Number.parseInt(size, 16) + 2
    if (size === '0') return { body, length: at }
  }
}

export interface Wired {
  readonly port: number
  /** Text that must not occur in a response. */
  readonly secrets: readonly string[]
}

const STACK_OR_PATH = /\bat \S+ \(|\.[jt]s:\d|node_modules|\/(?:work|tmp|home|root|usr)\/|[A-Z]:\\/

/** Expects an error response that is only the envelope, without internal details. */
export function expectClean(answer: WireAnswer, secrets: readonly string[]): void {
  const { status, headers, body } = answer
  expect(status).toBeGreaterThanOrEqual(200)
  for (const secret of secrets) expect(body + [...headers].join('\n')).not.toContain(secret)
  if (status < 300) return
  expect(body).not.toMatch(STACK_OR_PATH)
  expect(headers.get('content-type')).toBe('application/json')
  expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
  expect(headers.has('x-powered-by') || headers.has('server')).toBe(false)
  expect(JSON.parse(body)).toEqual({ success: false, error: expect.stringMatching(/^[^\r\n]+$/) as string })
}

/** Sends bytes, one per character, and returns everything that the server sends. */
export function send(port: number, bytes: string, options?: RawRequestOptions): Promise<string> {
  return rawRequest(port, [Buffer.from(bytes, 'latin1')], options)
}

/** Sends bytes on a connection that the server closes, and returns its responses, which have no internal details. */
export async function exchange({ port, secrets }: Wired, bytes: string): Promise<WireAnswer[]> {
  const answers = answersIn(await send(port, bytes))
  for (const answer of answers) expectClean(answer, secrets)
  return answers
}

export interface WireRequest {
  readonly method?: string
  readonly target?: string
  readonly version?: string
  /** Header lines without line ends. */
  readonly headers?: readonly string[]
  readonly host?: string | null
  readonly body?: string
}

/** A request with `Connection: close`. The body has one byte per character. */
export function requestText(request: WireRequest): string {
  const {
    method = 'GET',
    target = '/',
    version = 'HTTP/1.1',
    headers = [],
    host = 'localhost',
    body,
  } = request
  const lines = [
    `${method} ${target} ${version}`,
    ...(host === null ? [] : [`Host: ${host}`]),
    ...headers,
    ...(body === undefined ? [] : [`Content-Length: ${body.length}`]),
    'Connection: close',
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}

/** Expects that the server responds and has logged no error. */
export async function expectWell(port: number, logs: readonly unknown[] = []): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/healthz`)
  expect(await response.text()).toBe('ok')
  expect(logs).toEqual([])
}
