import type { ExecutionStatus } from '../../contract/status.ts'

/** Whether an execution will never change again. */
export function isOver(status: ExecutionStatus): boolean {
  return status !== 'running' && status !== 'suspended'
}
