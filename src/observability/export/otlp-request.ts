import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { messageOf } from '../../lib/errors.ts'
import type { ExportSettings } from './export-settings.ts'

/** The outcome of a request. `retry`: the same request may succeed later, after `afterMs` if the collector set it. */
export type Outcome =
  | { readonly kind: 'sent'; readonly response: Uint8Array }
  | { readonly kind: 'retry'; readonly problem: string; readonly afterMs: number | undefined }
  | { readonly kind: 'refused'; readonly problem: string }

const CONTENT_TYPES = { json: 'application/json', protobuf: 'application/x-protobuf' } as const
/** Response bytes that are read; the rest is ignored. */
const MAX_RESPONSE_BYTES = 64 * 1024
const MAX_RETRY_AFTER_MS = 300_000
/** The statuses that OTLP/HTTP has retried ("Failures", OTLP 1.x). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Sends a body once. Redirects are not followed: the credentials are for the endpoint only. */
export async function sendOnce(
  body: Uint8Array,
  settings: ExportSettings,
  aborted: AbortSignal,
): Promise<Outcome> {
  const { timeoutMs } = settings
  const signal = AbortSignal.any([aborted, AbortSignal.timeout(timeoutMs)])
  try {
    const sent = settings.gzip ? await promisify(gzip)(body) : body
    return outcomeOf(await post(sent, { settings, signal, tls: await tlsOptions(settings.tls) }))
  } catch (error) {
    const problem = networkProblem(signal.aborted ? signal.reason : error, timeoutMs)
    return { kind: 'retry', problem, afterMs: undefined }
  }
}

interface CollectorResponse {
  readonly status: number
  readonly statusText: string
  readonly retryAfter: string | undefined
  readonly body: Uint8Array
}

interface Sending {
  readonly settings: ExportSettings
  readonly signal: AbortSignal
  readonly tls: TlsOptions
}

/** Sends with Node's HTTP client: `fetch` accepts no certificates. */
async function post(body: Uint8Array, sending: Sending): Promise<CollectorResponse> {
  const { settings, signal, tls } = sending
  const { encoding } = settings
  const url = new URL(settings.url)
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  const headers = {
    'content-type': CONTENT_TYPES[encoding],
    'content-length': body.byteLength,
    ...(settings.gzip && { 'content-encoding': 'gzip' }),
    ...settings.headers,
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, signal, ...tls }, (response) => {
      readResponse(response).then(resolve, reject)
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // the collector may close a kept-alive connection at the moment it is reused
      const isStale = sent.reusedSocket && error.code === 'ECONNRESET'
      if (isStale) resolve(post(body, sending))
      else reject(error)
    })
    sent.end(body)
  })
}

async function readResponse(response: IncomingMessage): Promise<CollectorResponse> {
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = response
  return { status, statusText, retryAfter: headers['retry-after'], body: await readSome(response) }
}

interface TlsOptions {
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
}

/** Reads the certificates for each request: they are renewed while the server runs. */
async function tlsOptions(files: ExportSettings['tls']): Promise<TlsOptions> {
  const entries = Object.entries(files).map(async ([name, file]) => [name, await readFile(file)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

function outcomeOf({ status, statusText, retryAfter: after, body }: CollectorResponse): Outcome {
  if (status >= 200 && status < 300) return { kind: 'sent', response: body }
  const problem = `The collector responded with ${`${status} ${statusText}`.trim()}${hintFor(status)}`
  if (!RETRYABLE.has(status)) return { kind: 'refused', problem }
  return { kind: 'retry', problem, afterMs: retryAfter(after) }
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return ': check SERVICE_PUBLIC_KEY and SERVICE_SECRET_KEY'
  if (status === 404) return ': check the path of the endpoint'
  return status >= 300 && status < 400 ? ': redirects are not followed, set the final address' : ''
}

/** Retry-After in milliseconds from now; the header has seconds or a date (RFC 9110, section 10.2.3). */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS)
}

async function readSome(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > MAX_RESPONSE_BYTES) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function networkProblem(error: unknown, timeoutMs: number): string {
  const { name, code, path } = (error ?? {}) as Partial<NodeJS.ErrnoException>
  if (name === 'TimeoutError') return `The collector did not respond within ${timeoutMs} ms`
  if (name === 'AbortError') return 'The server stopped before the collector responded'
  if (path !== undefined) return `Cannot read the certificate ${path} (${code})`
  return `Cannot reach the collector (${code ?? messageOf(error)})`
}
