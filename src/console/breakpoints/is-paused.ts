import { BREAKPOINT } from '../../contract/breakpoints/breakpoint.ts'
import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'

/** Whether an execution is suspended at a breakpoint: before a step, which therefore has no record. */
export function isPaused({ status, suspension, steps }: ExecutionDetail): boolean {
  if (status !== 'suspended' || suspension?.reason !== BREAKPOINT) return false
  return !steps.some(({ stepId }) => stepId === suspension.stepId)
}
