import { AppError } from '../../lib/errors.ts'

/** When a caller who was refused should try again, in seconds. */
const RETRY_AFTER_S = 10

export function tooManyWaiting(workflowId: string): AppError {
  return new AppError(
    'too_many_requests',
    `Workflow "${workflowId}" has no free place, and as many executions wait as limits.queued allows`,
    {
      hint: 'Try again later, or raise limits.queued of the configuration',
      headers: { 'Retry-After': String(RETRY_AFTER_S) },
    },
  )
}
