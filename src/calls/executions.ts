import type { ExecutionDetail } from '../contract/endpoints/execution.ts'
import type { CancelPending, CancelResult } from '../contract/endpoints/end-results.ts'
import { currentServer } from './current-server.ts'
import type { CancelExecutionOptions, ResumeExecutionOptions } from './current-server.ts'
import type { RegisteredId, RegisteredResult, RegisteredInput } from './register.ts'
import type { WorkflowResult, StartOptions, StartedWorkflow } from './start.ts'

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

/**
 * Resumes a suspended execution from code that a server runs, such as a route, and waits until the execution completes,
 * fails, suspends or is cancelled. The ids and results are typed by {@link Register}.
 *
 * @throws an error with the `code` `not_found`, `not_resumable` when it is not suspended, `invalid_input` when the data
 *   does not match the schema of the step, or another step is suspended, and `unavailable` outside of a server
 *
 * @example
 * const { status, result } = await resumeExecution('expense', executionId, { approved: true }, { stepId: 'approve' })
 */
export async function resumeExecution<Id extends RegisteredId>(
  workflowId: Id,
  executionId: string,
  resumeData?: unknown,
  options: ResumeExecutionOptions = {},
): Promise<WorkflowResult<RegisteredResult<Id>>> {
  const server = currentServer('resumeExecution()')
  return server.resumeExecution({ workflowId, executionId }, resumeData, options)
}

/**
 * Starts a workflow by its id, as `workflow.start()` does, from code that a server runs or that has opened the project.
 * Resolves when the execution is stored. Ids, inputs and results are typed by {@link Register}.
 *
 * @throws an error with the `code` `not_found` for an unknown workflow, `invalid_input`, `conflict` when the id is in use,
 *   and `unavailable` outside of a server
 *
 * @example
 * const { executionId, result } = await startWorkflow('order', { amount: 250 }, { userId: 'ada' })
 * const { status } = await result()
 */
export async function startWorkflow<Id extends RegisteredId>(
  workflowId: Id,
  input: RegisteredInput<Id>,
  options: StartOptions = {},
): Promise<StartedWorkflow<RegisteredResult<Id>>> {
  return currentServer('startWorkflow()').start(workflowId, input, options)
}
