import { createHash, timingSafeEqual } from 'node:crypto'

const MAX_TOKEN_BYTES = 8192

export const CONSOLE_KEY_HEADER = 'x-console-access-key'

/** Headers that carry credentials; one that is given twice makes the request unauthorised. */
export const CREDENTIAL_HEADERS = ['authorization', CONSOLE_KEY_HEADER, 'x-service-dev'] as const

/** Names of headers that came more than once: parsers keep one of them, and not all the same. */
export function repeatedHeaders(raw: readonly string[]): string[] {
  const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  return names.filter((name, index) => names.indexOf(name) !== index)
}

/** The user token of a request's `Authorization` header; `undefined` when there is none that could be valid. */
export function bearerToken(headers: Headers): string | undefined {
  const [, token] = /^bearer +([\w\-.~+/]+=*)$/i.exec(headers.get('authorization')?.trim() ?? '') ?? []
  return token !== undefined && token.length <= MAX_TOKEN_BYTES ? token : undefined
}

/** What a browser can send with a WebSocket handshake: credentials in the query. One given twice counts as none. */
export function queryCredential(query: URLSearchParams, name: 'token' | 'dev'): string | undefined {
  const [value, ...more] = query.getAll(name)
  return more.length === 0 && value !== undefined && value.length <= MAX_TOKEN_BYTES ? value : undefined
}

/** The query of a request. */
export function requestQuery({ url }: Request): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start))
}

/** The console key of a request. Given in header and query it must be the same in both. */
export function consoleKey(headers: Headers, query: URLSearchParams): string | undefined {
  const given = [headers.get(CONSOLE_KEY_HEADER), ...query.getAll('key')].filter((key) => key !== null)
  return given.every((key) => key === given[0]) && query.getAll('key').length <= 1 ? given[0] : undefined
}

/** A key that requests are compared with, in constant time. A blank one matches nothing. */
export function keyChecker(expected: string | undefined): (given: string | undefined) => boolean {
  const key = expected?.trim()
  if (!key) return () => false
  const digest = sha256(key)
  return (given) => given !== undefined && timingSafeEqual(sha256(given), digest)
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
