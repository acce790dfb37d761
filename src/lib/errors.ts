/** All error codes and their HTTP statuses. */
export const STATUS_BY_CODE = {
  invalid_input: 400,
  not_suspendable: 400,
  not_cancellable: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  not_resumable: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  budget_exceeded: 429,
  execution_failed: 500,
  install_failed: 500,
  internal: 500,
  unavailable: 503,
  invalid_config: 500,
  database_locked: 503,
  unreachable: 503,
} as const

export type ErrorCode = keyof typeof STATUS_BY_CODE

/** Whether a value is the code of an {@link AppError}. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(STATUS_BY_CODE, code)
}

export interface AppErrorOptions {
  readonly cause?: unknown
  /** How to fix the problem. The CLI prints it below the message. */
  readonly hint?: string
  /** Headers of the error response, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Members of the error response beside `error`, which its endpoint declares. */
  readonly beside?: Readonly<Record<string, unknown>> | undefined
}

/** The error for all expected failures. The transport (HTTP, WebSocket or CLI) translates it to a response. */
export class AppError extends Error {
  override readonly name: string = 'AppError'
  /** Machine-readable code of the error. */
  readonly code: ErrorCode
  /** How to fix it. */
  readonly hint: string | undefined
  /** Headers of the error response. */
  readonly headers: Readonly<Record<string, string>>
  /** Members of the error response beside `error`. */
  readonly beside: Readonly<Record<string, unknown>> | undefined

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
    this.headers = options.headers ?? {}
    this.beside = options.beside
  }

  /** The HTTP status of the error response. */
  get status(): number {
    return STATUS_BY_CODE[this.code]
  }
}

/** The message of a thrown value, which may not be an `Error`. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message
  if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string')
    return error.message
  return typeof error === 'string' ? error : `Thrown value: ${String(error)}`
}

/** The message of an error, and that of an `AppError`'s cause unless it has it: for operators, not for callers. */
export function messageWithCause(error: unknown): string {
  const message = messageOf(error)
  if (!(error instanceof AppError) || error.cause === undefined) return message
  const reason = messageOf(error.cause)
  return message.includes(reason) ? message : `${message}: ${reason}`
}
