import { ApiError } from '../client/api-error.ts'
import type { ExecutionStatus } from '../contract/status.ts'
import { AppError } from '../lib/errors.ts'

/** What the process ends with. */
export const EXIT = {
  /** Completed, listed, shown, stopped when asked to. */
  done: 0,
  /** The execution failed or was cancelled; or something broke. */
  failed: 1,
  /** Usage, configuration, invalid input, unknown workflow or execution, conflict. */
  usage: 2,
  suspended: 3,
  /** The server can't be reached, or refuses the caller. */
  unreachable: 4,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** What a command that runs an execution ends with. */
export function exitCodeOf(status: ExecutionStatus): ExitCode {
  if (status === 'suspended') return EXIT.suspended
  return status === 'completed' || status === 'running' ? EXIT.done : EXIT.failed
}

const UNREACHABLE = new Set([401, 403, 429, 502, 503, 504])

/** What a command ends with that threw. */
export function exitCodeOfError(error: unknown): ExitCode {
  // these two are answered with a 5xx where there is somebody to answer; here it is the caller's turn
  if (error instanceof AppError && /^(?:invalid_config|database_locked)$/.test(error.code)) return EXIT.usage
  if (!(error instanceof AppError) && !(error instanceof ApiError)) return EXIT.failed
  if (UNREACHABLE.has(error.status)) return EXIT.unreachable
  return error.status < 500 ? EXIT.usage : EXIT.failed
}
