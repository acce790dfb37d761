import type { Duration } from '../lib/duration.ts'

interface StepErrorFacts {
  /** Name of the error. */
  readonly name: string
  /** Id of the step that failed. */
  readonly stepId: string
  /** `code` of the error, if it had one. */
  readonly code: string | number | undefined
}

/**
 * A recorded call failed for good. It has the name and message of the original error, also in later passes, in which that
 * error does not exist any more: compare `name`, not the class.
 *
 * @example
 * try {
 *   await step.run('charge', () => pay(total))
 * } catch (error) {
 *   if (error instanceof StepError && error.name === 'CardDeclinedError') return { status: 'declined' }
 *   throw error
 * }
 */
export class StepError extends Error {
  /** Name of the error that the step threw. */
  override readonly name: string
  /** Id of the step that failed. */
  readonly stepId: string
  /** The `code` of the original error, if it was a text or a number. */
  readonly code?: string | number

  constructor(message: string, { name, stepId, code }: StepErrorFacts) {
    super(message)
    this.name = name
    this.stepId = stepId
    if (code !== undefined) this.code = code
  }
}

/**
 * Two recorded calls of a function have the same id.
 *
 * @example
 * if (error.name === 'DuplicateStepError') logger.error('Two lines have the same id')
 */
export class DuplicateStepError extends Error {
  override readonly name = 'DuplicateStepError'

  constructor(id: string) {
    super(`"${id}" is called twice. Give each call an id of its own, such as ${id}-\${line.id}`)
  }
}

/**
 * A function asked in each pass for calls with other ids, so that it never got further.
 *
 * @example
 * if (error.name === 'UnstableIdsError') logger.error('An id contains a random number')
 */
export class UnstableIdsError extends Error {
  override readonly name = 'UnstableIdsError'

  constructor(ids: readonly string[]) {
    super(
      `The function has asked for ${ids.length} calls that no later pass asked for, such as "${ids.slice(-2).join('" and "')}". An id must be the same in every pass: it can't follow from the time, a random number or what changes outside of recorded calls`,
    )
  }
}

/**
 * Nobody resumed a call of `step.suspend` within its timeout.
 *
 * @example
 * if (error instanceof StepError && error.name === 'SuspendTimeoutError') return { status: 'rejected' }
 */
export class SuspendTimeoutError extends Error {
  override readonly name = 'SuspendTimeoutError'

  constructor(id: string, timeout: Duration) {
    super(`Nobody resumed "${id}" within ${typeof timeout === 'number' ? `${timeout} ms` : timeout}`)
  }
}
