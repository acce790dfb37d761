import { currentServer } from './current-server.ts'
import type { RegisteredId, RegisteredInput, RegisteredResult } from './register.ts'
import type { StartOptions, StartedWorkflow } from './start.ts'

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
