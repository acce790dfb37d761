import type { ExecutionDetail } from '../contract/endpoints/execution.ts'
import { currentServer } from './current-server.ts'
import type { RegisteredId, RegisteredResult } from './register.ts'

/** The record of an execution with its steps and events: as `GET /workflows/:id/executions/:executionId` returns it. */
export type WorkflowExecution<Result> = Omit<ExecutionDetail, 'output'> & {
  /** The result, when it has completed. */
  readonly output?: Result
}

/**
 * Reads the record of an execution, with its status, steps and events. The ids and results are typed by {@link Register}.
 *
 * @throws an error with the `code` `not_found`, and `unavailable` outside of a server
 *
 * @example
 * const { status, output, steps } = await getExecution('order', executionId)
 */
export async function getExecution<Id extends RegisteredId>(
  workflowId: Id,
  executionId: string,
): Promise<WorkflowExecution<RegisteredResult<Id>>> {
  return currentServer('getExecution()').getExecution({ workflowId, executionId })
}
