import { AppError } from '../../lib/errors.ts'

/** The maximum message size over HTTP. For local programs the SDK has the same limit. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024

const NEWLINE = 10

/**
 * `fetch` with a limit of `limit` bytes per response, or per line of an event stream, so that an endless response
 * cannot exhaust the memory. A longer one fails with an AppError `unavailable`.
 */
export function limitedFetch(
  limit = MAX_MESSAGE_BYTES,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(limiter(limit, isStream)), { status, statusText, headers })
  }
}

function limiter(limit: number, byLine: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      const newline = byLine ? chunk.lastIndexOf(NEWLINE) : -1
      size = newline === -1 ? size + chunk.byteLength : chunk.byteLength - newline - 1
      if (size > limit)
        throw new AppError('unavailable', `The server sent more than ${limit} bytes in one message`)
      controller.enqueue(chunk)
    },
  })
}
