/** The server refused a call. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** HTTP status. */
  readonly status: number
  /** Names the request in the server's log. */
  readonly requestId: string | undefined
  /** The execution that the failure is about; its record holds the error. */
  readonly executionId: string | undefined

  constructor(message: string, status: number, headers: Headers) {
    super(message)
    this.status = status
    this.requestId = headers.get('x-request-id') ?? undefined
    this.executionId = headers.get('x-execution-id') ?? undefined
  }

  /** Reads the error envelope; a reply that has none is told by its status. */
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
    // not the server's own envelope: a proxy's page, or nothing
    return undefined
  }
}
