import type { CancelPending, CancelResult } from '../contract/endpoints/executions/end-results.ts'
import { currentServer, type CancelExecutionOptions } from './current-server.ts'
import type { RegisteredId } from './register.ts'

/**
 * Cancels an execution and its children, whether it runs, waits or is suspended. Resolves when it has ended, or, with
 * `status: 'running'`, when its compensations take longer than 30 seconds.
 *
 * @throws an error with the `code` `not_found`, `not_cancellable` when it has ended, and `unavailable` outside of a server
 *
 * @example
 * const { status } = await cancelExecution('order', executionId, { reason: 'The customer called' })
 */
export async function cancelExecution(
  workflowId: RegisteredId,
  executionId: string,
  options: CancelExecutionOptions = {},
): Promise<CancelResult | CancelPending> {
  return currentServer('cancelExecution()').cancelExecution({ workflowId, executionId }, options)
}
