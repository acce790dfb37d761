/** A request that the server refused, or that never reached it (`status` 0). */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly status: number
  /** Names the request in the server's log. */
  readonly requestId: string | undefined
  readonly executionId: string | undefined
  readonly traceId: string | undefined

  constructor(message: string, options: { status: number; headers?: Headers; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.status = options.status
    this.requestId = options.headers?.get('x-request-id') ?? undefined
    this.executionId = options.headers?.get('x-execution-id') ?? undefined
    this.traceId = options.headers?.get('x-trace-id') ?? undefined
  }

  static async from(response: Response): Promise<RequestError> {
    const { status, headers, statusText } = response
    const text = await response.text()
    return new RequestError(messageIn(text) ?? `${status} ${statusText}`.trim(), { status, headers })
  }

  static unreachable(cause: unknown): RequestError {
    return new RequestError('The server can not be reached', { status: 0, cause })
  }
}

function messageIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    return typeof error === 'string' ? error : undefined
  } catch {
    // a proxy's page, not an answer of the server
    return undefined
  }
}

/** What to show of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
