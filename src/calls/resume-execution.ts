import { currentServer, type ResumeExecutionOptions } from './current-server.ts'
import type { RegisteredId, RegisteredResult } from './register.ts'
import type { WorkflowResult } from './start.ts'

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
