import type { Duration } from '../lib/duration.ts'

interface StepErrorFacts {
  readonly name: string
  readonly stepId: string
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
  override readonly name: string
  readonly stepId: string
  /** The `code` of the original error, if it was a text or a number. Only in the pass in which the call failed: it is not recorded. */
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
