import { AppError } from '../../lib/errors.ts'
import { parseJson } from '../../lib/json/parse-json.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/**
 * Reads the JSON body of a request; `undefined` when it has none.
 *
 * @throws AppError 413 when it is larger than `limit` bytes, 415 when it is not JSON, 400 when it can't be parsed.
 */
export async function readJsonBody(request: Request, limit: number): Promise<unknown> {
  const declared = request.headers.get('content-length')
  if (declared === '0' || (declared === null && !request.headers.has('transfer-encoding') && !request.body))
    return undefined
  const type = request.headers.get('content-type') ?? ''
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit)
  const bytes = await readBytes(request, declared === null ? limit : undefined)
  if (bytes.byteLength === 0) return undefined
  if (!JSON_TYPE.test(type) || (request.headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw new AppError(
      'unsupported_media_type',
      'The body must be JSON: send it with Content-Type: application/json',
    )
  return parseJson(decode(bytes))
}

/**
 * Reads the fields of a form.
 *
 * @throws AppError 413 when it is larger than `limit` bytes, 400 when it is not UTF-8.
 */
export async function readForm(request: Request, limit: number): Promise<URLSearchParams> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit)
  return new URLSearchParams(decode(await readBytes(request, declared === null ? limit : undefined)))
}

/** Reads a body. Without a declared length it stops at the limit. */
function readBytes(request: Request, limit: number | undefined): Promise<Uint8Array | ArrayBuffer> {
  const bytes = limit === undefined ? request.arrayBuffer() : readAll(request, limit)
  return bytes.catch((cause: unknown) => {
    if (cause instanceof AppError) throw cause
    // the client has disconnected while it sent the body
    throw new AppError('invalid_input', 'The body could not be read', { cause })
  })
}

async function readAll(request: Request, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  const body = request.body as AsyncIterable<Uint8Array> | null
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array | ArrayBuffer): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new AppError('invalid_input', 'The body is not valid UTF-8', { cause })
  }
}

function tooLarge(limit: number): AppError {
  return new AppError('payload_too_large', `The body is larger than ${limit} bytes`)
}
