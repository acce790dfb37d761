/**
 * The error of a call with an error response.
 *
 * @example
 * const order = await client.getWorkflow({ params: { id } }).catch((error: unknown) => {
 *   if (error instanceof ApiError && error.status === 404) return undefined
 *   throw error
 * })
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The HTTP status. */
  readonly status: number
  /** The id of the request in the server's log. */
  readonly requestId: string | undefined
  /** The id of the failed execution. Its record contains the error. */
  readonly executionId: string | undefined
  /** The id of the trace of a failed tool call. */
  readonly traceId: string | undefined

  constructor(message: string, status: number, headers: Headers, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.requestId = headers.get('x-request-id') ?? undefined
    this.executionId = headers.get('x-execution-id') ?? undefined
    this.traceId = headers.get('x-trace-id') ?? undefined
  }

  /** Creates the error of a response from its error envelope, or from its status if it has none. */
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
    // not an envelope, but an error page of a proxy or an empty body
    return undefined
  }
}
