import { createHash, timingSafeEqual } from 'node:crypto'

/** Larger tokens do not fit into common limits of headers. */
const MAX_TOKEN_BYTES = 8192

export const CONSOLE_KEY_HEADER = 'x-console-access-key'

/** Headers that carry credentials. A request that repeats one is unauthorized. */
export const CREDENTIAL_HEADERS = ['authorization', CONSOLE_KEY_HEADER, 'x-service-dev'] as const

/**
 * Names of headers that occur more than once, in lower case. Parsers keep only one value, and proxies may keep
 * another one than this server.
 */
export function repeatedHeaders(raw: readonly string[]): string[] {
  const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  return names.filter((name, index) => names.indexOf(name) !== index)
}

/** The token of `Authorization: Bearer`; `undefined` when it is missing, malformed or over 8 KiB. */
export function bearerToken(headers: Headers): string | undefined {
  const [, token] = /^bearer +([\w\-.~+/]+=*)$/i.exec(headers.get('authorization')?.trim() ?? '') ?? []
  return token !== undefined && token.length <= MAX_TOKEN_BYTES ? token : undefined
}

/**
 * A credential in the query of a WebSocket handshake, where browsers can't set headers. One that is given twice
 * counts as missing.
 */
export function queryCredential(query: URLSearchParams, name: 'token' | 'dev'): string | undefined {
  const [value, ...more] = query.getAll(name)
  return more.length === 0 && value !== undefined && value.length <= MAX_TOKEN_BYTES ? value : undefined
}

/** The query parameters of a request. */
export function requestQuery({ url }: Pick<Request, 'url'>): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start))
}

/** The console key in header or query. If both are given they must be equal. */
export function consoleKey(headers: Headers, query: URLSearchParams): string | undefined {
  const given = [headers.get(CONSOLE_KEY_HEADER), ...query.getAll('key')].filter((key) => key !== null)
  return given.every((key) => key === given[0]) && query.getAll('key').length <= 1 ? given[0] : undefined
}

/** Whether a request or a WebSocket handshake has a credential of any kind, valid or not. */
export function hasCredential({ headers, url }: Request, isHandshake: boolean): boolean {
  const query = requestQuery({ url })
  const parameters = isHandshake ? ['key', 'token', 'dev'] : ['key']
  return CREDENTIAL_HEADERS.some((name) => headers.has(name)) || parameters.some((name) => query.has(name))
}

/** Shorter console keys can be guessed. */
const MIN_CONSOLE_KEY_BYTES = 16

/** Why a console key is too weak for production; `undefined` when it is not, or none is set. */
export function consoleKeyProblem(key: string | undefined): string | undefined {
  const bytes = Buffer.byteLength(key?.trim() ?? '')
  if (bytes === 0 || bytes >= MIN_CONSOLE_KEY_BYTES) return undefined
  return `SERVICE_CONSOLE_ACCESS_KEY has fewer than ${MIN_CONSOLE_KEY_BYTES} bytes and can be guessed`
}

/** Creates a constant-time comparison with a key. A blank key matches nothing. */
export function keyChecker(expected: string | undefined): (given: string | undefined) => boolean {
  const key = expected?.trim()
  if (!key) return () => false
  const digest = sha256(key)
  return (given) => given !== undefined && timingSafeEqual(sha256(given), digest)
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
