import { RunAborted, StoreFailure } from '../../run/errors.ts'

/** Whether a run that was aborted for this reason is continued, by the process that owns it or the next one. */
export function isContinued(reason: unknown): boolean {
  if (reason instanceof RunAborted) return reason.code === 'stopping' || reason.code === 'fenced'
  return reason instanceof StoreFailure
}
