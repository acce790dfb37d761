import type { ExecutionStatus } from './status.ts'

/** Whether an execution with this status has ended and never changes again. */
export function isFinal(status: ExecutionStatus): boolean {
  return status === 'completed' || status === 'error' || status === 'cancelled'
}
