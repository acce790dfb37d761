import type { ExecutionError } from '../../contract/event.ts'
import type { PlacedStep } from '../../workflow/rules.ts'
import type { SuspendRequest } from './durable-io.ts'

/** A step failed for good. Carries what is recorded of the error that user code threw. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly recorded: ExecutionError

  constructor(recorded: ExecutionError, cause?: unknown) {
    super(recorded.message, { cause })
    this.recorded = recorded
  }
}

/** An execution has come to rest until it is resumed. Unwinds the interpreter; never seen by user code. */
export class Parked extends Error {
  override readonly name = 'Parked'
  readonly place: PlacedStep
  readonly request: SuspendRequest
  /** Asked for from outside: the step at `place` has not started. */
  readonly external: boolean

  constructor(place: PlacedStep, request: SuspendRequest, external: boolean) {
    super(`Suspended at ${place.path}`)
    this.place = place
    this.request = request
    this.external = external
  }
}

/** This part of an execution no longer counts: cancelled, lost a race, fenced off, or the server stops. */
export class RunAborted extends Error {
  override readonly name = 'Abandoned'
}

/** The store could not take what a run had to record. The run stops where it is and is taken up again later. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
}

/** The reason of a step's signal when its attempt took longer than `timeoutMs`. */
export class StepTimeoutError extends Error {
  override readonly name = 'StepTimeoutError'

  constructor(timeoutMs: number) {
    super(`The step took longer than ${timeoutMs} ms`)
  }
}

/** How errors are recorded: with which stack, if any. */
export interface ErrorRecording {
  readonly stacks: boolean
  /** Tells paths as the project's reader knows them, and leaves the product's own frames out of stacks. */
  readonly shorten: (text: string) => string
  /** Takes secrets out of what errors say. */
  readonly redact: (text: string) => string
}

const MAX_STACK = 8192
const MAX_CAUSES = 5

/** What is kept of something that user code threw. */
export function recordError(thrown: unknown, recording: ErrorRecording, depth = 0): ExecutionError {
  const { stacks, shorten, redact } = recording
  if (!(thrown instanceof Error)) return { message: redact(describeThrown(thrown)), name: 'Error' }
  const { message, name, stack, cause } = thrown
  return {
    message: redact(String(message)),
    name: String(name),
    ...(stacks && stack !== undefined && { stack: redact(shorten(stack.slice(0, MAX_STACK))) }),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: recordError(cause, recording, depth + 1) }),
  }
}

function describeThrown(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  try {
    return `Thrown value: ${JSON.stringify(thrown)}`
  } catch {
    // cyclic or too deep: its type is all that can be said
    return `Thrown value: ${Object.prototype.toString.call(thrown)}`
  }
}
