import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { messageOf } from '../../lib/errors.ts'
import type { ExportSettings } from './export-settings.ts'

/** How a request went. `retry`: the same may succeed later, not before `afterMs` where the collector says so. */
export type Outcome =
  | { readonly kind: 'sent'; readonly answer: Uint8Array }
  | { readonly kind: 'retry'; readonly problem: string; readonly afterMs: number | undefined }
  | { readonly kind: 'refused'; readonly problem: string }

const CONTENT_TYPES = { json: 'application/json', protobuf: 'application/x-protobuf' } as const
/** What is read of an answer. */
const MOST_ANSWER = 64 * 1024
const LONGEST_WAIT_MS = 300_000

/** Sends a body once. Never follows a redirect: credentials are for the endpoint alone. */
export async function sendOnce(
  body: Uint8Array,
  settings: ExportSettings,
  aborted: AbortSignal,
): Promise<Outcome> {
  const { url, headers, encoding, timeoutMs } = settings
  const zipped = settings.gzip ? await promisify(gzip)(body) : body
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      body: zipped as Uint8Array<ArrayBuffer>,
      headers: {
        'content-type': CONTENT_TYPES[encoding],
        ...(settings.gzip && { 'content-encoding': 'gzip' }),
        ...headers,
      },
      signal: AbortSignal.any([aborted, AbortSignal.timeout(timeoutMs)]),
    })
    return outcomeOf(response, await readSome(response))
  } catch (error) {
    return { kind: 'retry', problem: networkProblem(error, timeoutMs), afterMs: undefined }
  }
}

function outcomeOf({ ok, status, statusText, headers }: Response, answer: Uint8Array): Outcome {
  if (ok) return { kind: 'sent', answer }
  const problem = `The collector answered ${`${status} ${statusText}`.trim()}${hintFor(status)}`
  const isTransient = status === 408 || status === 429 || status >= 500
  if (!isTransient) return { kind: 'refused', problem }
  return { kind: 'retry', problem, afterMs: retryAfter(headers.get('retry-after')) }
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return ': check SERVICE_PUBLIC_KEY and SERVICE_SECRET_KEY'
  if (status === 404) return ': check the path of the endpoint'
  return status >= 300 && status < 400 ? ': redirects are not followed, name the final address' : ''
}

/** Seconds or a date (RFC 9110, section 10.2.3), as milliseconds from now. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_WAIT_MS)
}

async function readSome(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  const body = response.body as AsyncIterable<Uint8Array> | null
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > MOST_ANSWER) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function networkProblem(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `The collector did not answer within ${timeoutMs} ms`
  if (error instanceof Error && error.name === 'AbortError')
    return 'The server stopped before the answer came'
  const { cause } = error as { cause?: { code?: string } }
  const reason = cause?.code ?? messageOf(cause ?? error)
  return `The collector can not be reached (${reason})`
}
