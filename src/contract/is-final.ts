import type { ExecutionStatus } from './status.ts'

/** A status in which an execution has ended. */
export type FinalStatus = Extract<ExecutionStatus, 'completed' | 'error' | 'cancelled'>

/** Whether an execution with this status has ended and never changes again. */
export function isFinal(status: ExecutionStatus): status is FinalStatus {
  return status === 'completed' || status === 'error' || status === 'cancelled'
}
