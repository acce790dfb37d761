import { BudgetExceededError } from '../../agent/budgets/budget-exceeded-error.ts'
import type { ErrorLocation, ExecutionError } from '../../contract/event.ts'
import { stepIdAt } from '../../contract/step-path.ts'
import { declarationOf } from '../../lib/declared-at.ts'
import type { Duration } from '../../lib/duration.ts'
import { describeThrown, redactErrorText } from '../../lib/redact/error-text.ts'
import { NonRetryableError } from '../../step/retry.ts'
import { AppError } from '../../lib/errors.ts'
import { addStepFrame, stepFrame } from '../../workflow/step-frame.ts'
import type { PlacedStep } from '../../workflow/rules.ts'
import type { SuspendRequest } from './step-task.ts'

/** A step failed and is not retried. Carries the recorded form of the error that user code threw. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly recorded: ExecutionError

  constructor(recorded: ExecutionError, cause?: unknown) {
    super(recorded.message, { cause })
    this.recorded = recorded
  }
}

/**
 * An execution suspends: thrown by `suspend()` to leave the step's function, and by the run to leave the
 * workflow's steps until resume.
 */
export class SuspendSignal extends Error {
  override readonly name = 'SuspendSignal'
  readonly place: PlacedStep
  readonly request: SuspendRequest
  /** Requested from outside: the step at `place` has not started. */
  readonly external: boolean

  constructor(place: PlacedStep, request: SuspendRequest, { external = false } = {}) {
    super(request.reason)
    this.place = place
    this.request = request
    this.external = external
  }
}

/**
 * Why a run, or a branch of it, stopped without an outcome of its own: it was cancelled, lost a race, was
 * aborted with a failed branch, has another owner, the server stops, it is about to suspend, or it has ended.
 */
export type RunAbortedCode =
  | 'cancelled'
  | 'lost-race'
  | 'branch-failed'
  | 'fenced'
  | 'stopping'
  | 'suspending'
  | 'ended'

/** The run, or a branch of it, was stopped. Also the reason of the step's `signal`. */
export class RunAborted extends Error {
  override readonly name = 'RunAborted'
  readonly code: RunAbortedCode
  /** The id of the user who requested it. */
  readonly by: string | undefined

  constructor(code: RunAbortedCode, message: string, by?: string) {
    super(message)
    this.code = code
    this.by = by
  }
}

/**
 * The store failed to record a change. The run stops, and is recovered when the store works again. Says why the
 * database can't be used, if the store knows.
 */
export class StoreFailure extends AppError {
  override readonly name = 'StoreFailure'

  constructor(cause: unknown) {
    const { code, message } =
      cause instanceof AppError
        ? cause
        : { code: 'internal' as const, message: 'The execution could not be stored' }
    super(code, message, { cause })
  }
}

/** A step was running at each of the last crashes of the process. It is not started again. */
export class CrashLoopError extends Error {
  override readonly name = 'CrashLoopError'

  /** @param subject such as `step "pay"` */
  constructor(subject: string, crashes: number) {
    super(
      `The ${subject} was running when the process crashed, ${crashes} times: it may end the process or exhaust its memory`,
    )
  }
}

/** The reason of a step's signal when its attempt took longer than `timeoutMs`. */
export class StepTimeoutError extends Error {
  override readonly name = 'StepTimeoutError'

  constructor(timeoutMs: number) {
    super(`The step took longer than ${timeoutMs} ms`)
  }
}

/** The execution did not end within the `timeout` of its workflow. */
export class WorkflowTimeoutError extends Error {
  override readonly name = 'WorkflowTimeoutError'

  constructor(timeout: Duration) {
    super(`The execution did not end within its timeout of ${durationText(timeout)}`)
  }
}

function durationText(duration: Duration): string {
  return typeof duration === 'number' ? `${duration} ms` : duration
}

/** The event that a step waited for did not come in time. */
export class EventTimeoutError extends Error {
  override readonly name = 'EventTimeoutError'

  constructor(event: string, timeout: Duration = 0) {
    super(`No event "${event}" came within ${durationText(timeout)}`)
  }
}

/** Not a failure of the step: the run was stopped or suspended, or its record can't be stored. */
export function isControlFlow(thrown: unknown): boolean {
  return thrown instanceof RunAborted || thrown instanceof SuspendSignal || thrown instanceof StoreFailure
}

/** Refused by a server that stops, or whose database is away. */
export function isUnavailable(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.code === 'unavailable'
}

/** Another attempt would ask for the same approval, and be blocked by the same guardrail. */
const NON_RETRYABLE = new Set(['NonRetryableError', 'ApprovalRequiredError', 'AnswerBlockedError'])

/** By name too: the user's code may hold another copy of the class. */
export function isNonRetryable(thrown: unknown): boolean {
  return (
    thrown instanceof NonRetryableError ||
    thrown instanceof CrashLoopError ||
    thrown instanceof BudgetExceededError ||
    (thrown instanceof Error && NON_RETRYABLE.has(thrown.name))
  )
}

/** How errors are recorded: with which stack, if any. */
export interface ErrorRecording {
  readonly stacks: boolean
  /** Makes paths relative to the project, and drops the frames of this package from stacks. */
  readonly shorten: (text: string) => string
  /** Redacts secrets in messages, stacks and source. */
  readonly redact: (text: string) => string
  /** The place in the project where an error was created, with its source. Called after its stack was read. */
  readonly locate: (error: object) => ErrorLocation | undefined
}

/** Enough to find the line, bounded for each error. */
const MAX_CAUSES = 5

/** The error in the row of a failed step or execution. */
export function storedError(error: string | null): ExecutionError {
  return JSON.parse(error ?? '{"message":"","name":"Error"}') as ExecutionError
}

/** The recorded form of a value that user code threw. */
export function recordError(thrown: unknown, recording: ErrorRecording, depth = 0): ExecutionError {
  const { stacks, shorten, redact } = recording
  if (!(thrown instanceof Error))
    return { message: redactErrorText(describeThrown(thrown), redact), name: 'Error' }
  const { message, name, stack, cause } = thrown
  return {
    message: redactErrorText(String(message), redact),
    name: redactErrorText(String(name), redact),
    ...codeOf(thrown, redact),
    ...(stacks && stack !== undefined && { stack: redactErrorText(stack, redact, shorten) }),
    ...locationOf(thrown, recording),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: recordError(cause, recording, depth + 1) }),
  }
}

function codeOf(error: Error, redact: ErrorRecording['redact']): Pick<ExecutionError, 'code'> {
  const { code } = error as { readonly code?: unknown }
  if (typeof code === 'number') return { code }
  return typeof code === 'string' ? { code: redactErrorText(code, redact) } : {}
}

/** Where an error was created, if stacks are recorded and its source is known. */
function locationOf(
  error: object,
  { stacks, locate, redact }: ErrorRecording,
): Pick<ExecutionError, 'location'> {
  const location = stacks ? locate(error) : undefined
  return location ? { location: { ...location, frame: redactErrorText(location.frame, redact) } } : {}
}

/** The recorded form of an error that ended an attempt of a step. Stack and location lead to the project's code. */
export function recordStepError(
  thrown: unknown,
  { step, path }: PlacedStep,
  recording: ErrorRecording,
): ExecutionError {
  const isElsewhere = addStepFrame(thrown, step)
  const recorded = recordError(thrown, recording)
  // a thrown value that is not an Error has no stack
  const frame = recording.stacks && recorded.stack === undefined ? stepFrame(step) : undefined
  const declaration = isElsewhere ? declarationOf(step) : undefined
  return {
    ...recorded,
    stepId: stepIdAt(path),
    ...(declaration && locationOf(declaration, recording)),
    ...(frame !== undefined && { stack: recording.shorten(recorded.message + frame) }),
  }
}
