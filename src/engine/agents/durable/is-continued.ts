import { RunAborted, StoreFailure } from '../../run/errors.ts'

/** Whether a run that was aborted for this reason is continued, by the process that owns it or the next one. */
export function isContinued(reason: unknown): boolean {
  if (reason instanceof RunAborted) return reason.code === 'stopping' || reason.code === 'fenced'
  return reason instanceof StoreFailure
}

/** Whether a run was aborted because a tool of it waits: it goes on with its step. */
export function toolWaits(reason: unknown): boolean {
  return reason instanceof RunAborted && reason.code === 'suspending'
}
