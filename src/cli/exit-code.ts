import { ApiError } from '../client/api-error.ts'
import type { ExecutionStatus } from '../contract/status.ts'
import { AppError } from '../lib/errors.ts'
import { DatabaseSetupError } from '../store/postgres/connection/connection-error.ts'

/** Exit codes of the process. */
export const EXIT = {
  /** Success; a server stopped by a signal. */
  done: 0,
  /** The execution failed or was cancelled; an unexpected error. */
  failed: 1,
  /** Invalid usage, configuration or input; unknown workflow or execution; conflict. */
  usage: 2,
  suspended: 3,
  /** The server can't be reached, or rejects the credentials. */
  unreachable: 4,
  /** Nothing that the command waits for can still happen. */
  stalled: 5,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

const MEANINGS: Readonly<Record<ExitCode, string>> = {
  [EXIT.done]: 'success',
  [EXIT.failed]: 'the execution failed or was cancelled, or an unexpected error occurred',
  [EXIT.usage]: 'invalid usage, configuration or input; unknown workflow or execution; conflict',
  [EXIT.suspended]:
    'the execution is suspended (run-workflow, stream-workflow, resume-workflow, replay-workflow)',
  [EXIT.unreachable]: 'the server or package registry is unreachable, or the credentials are rejected',
  [EXIT.stalled]: 'the code of the project waits for a promise that nothing can settle any more',
  [EXIT.interrupted]: 'interrupted',
}

/** The table of exit codes for a command's help. `meanings` replaces the general texts and selects the codes. */
export function exitCodes(meanings: Readonly<Partial<Record<ExitCode, string>>> = MEANINGS): string {
  const rows = Object.entries(meanings).map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`)
  return `Exit codes:\n${rows.join('\n')}`
}

/** The exit codes of commands that run an execution. */
export const RUN_EXIT_CODES = exitCodes({
  [EXIT.done]: 'completed',
  [EXIT.failed]: 'failed or cancelled',
  [EXIT.usage]: MEANINGS[EXIT.usage],
  [EXIT.suspended]: 'suspended; continue with resume-workflow',
  [EXIT.unreachable]: 'the server is unreachable, or the credentials are rejected',
  [EXIT.stalled]: 'a step waits for a promise that nothing can settle any more',
  [EXIT.interrupted]: MEANINGS[EXIT.interrupted],
})

/** The exit code for an execution that a command ran. */
export function exitCodeOf(status: ExecutionStatus): ExitCode {
  if (status === 'suspended') return EXIT.suspended
  return status === 'completed' || status === 'running' ? EXIT.done : EXIT.failed
}

/** Nothing is left in the process that could end what a command waits for. */
export class StalledError extends AppError {
  override readonly name = 'StalledError'

  /** `subject` is what does not end, such as `Step "pay"`. */
  constructor(subject: string) {
    super('internal', `${subject} waits for a promise that nothing can settle any more`, {
      hint: 'No timer, connection or file is open. Check for a promise that is never resolved, such as a missing callback.',
    })
  }
}

const UNREACHABLE = new Set([401, 403, 429, 502, 503, 504])

/** The exit code for an error that a command threw. */
export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof StalledError) return EXIT.stalled
  // over HTTP these are a 5xx; on the command line the caller can correct them
  if (error instanceof AppError && /^(?:invalid_config|database_locked)$/.test(error.code)) return EXIT.usage
  if (error instanceof DatabaseSetupError) return EXIT.usage
  if (!(error instanceof AppError) && !(error instanceof ApiError)) return EXIT.failed
  if (UNREACHABLE.has(error.status)) return EXIT.unreachable
  return error.status < 500 ? EXIT.usage : EXIT.failed
}
