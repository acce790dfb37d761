import type { IncomingMessage } from 'node:http'

/** A request of a framework whose body parser may have read the body. */
interface ParsedRequest extends IncomingMessage {
  /** What the parser made of it: `express.json()`, Nest, Next's `pages/api`. */
  readonly body?: unknown
  rawBody?: unknown
}

/**
 * Restores the body of a request that a body parser of the framework has read before: from the raw bytes if the parser keeps
 * them, else from what it has made of them. A body that nobody has read stays a stream.
 */
export function restoreBody(request: ParsedRequest): void {
  const { body, rawBody } = request
  if (!request.readableDidRead || rawBody instanceof Buffer || body === undefined) return
  request.rawBody = Buffer.isBuffer(body) ? body : Buffer.from(textOf(body, request.headers['content-type']))
}

function textOf(body: unknown, type = ''): string {
  if (typeof body === 'string') return body
  if (!type.startsWith('application/x-www-form-urlencoded')) return JSON.stringify(body)
  return new URLSearchParams(body as Record<string, string>).toString()
}
