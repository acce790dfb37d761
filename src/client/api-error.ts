/** A call that the server refused. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** HTTP status. */
  readonly status: number
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined
  /** The execution that failed; its record holds the error. */
  readonly executionId: string | undefined
  /** The trace of a failed tool call. */
  readonly traceId: string | undefined

  constructor(message: string, status: number, headers: Headers, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.requestId = headers.get('x-request-id') ?? undefined
    this.executionId = headers.get('x-execution-id') ?? undefined
    this.traceId = headers.get('x-trace-id') ?? undefined
  }

  /** The error of a response: the message of its error envelope, or its status without one. */
  static async from(response: Response): Promise<ApiError> {
    const text = await response.text()
    return new ApiError(
      messageIn(text) ?? `HTTP ${response.status} ${response.statusText}`.trim(),
      response.status,
      response.headers,
    )
  }
}

function messageIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    return typeof error === 'string' ? error : undefined
  } catch {
    // no envelope: an error page of a proxy, or an empty body
    return undefined
  }
}
