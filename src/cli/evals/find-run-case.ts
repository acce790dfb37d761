import type { Client } from '../../client/create-client.ts'
import type { KeptCase } from '../../contract/endpoints/project/kept-cases.ts'
import { AppError } from '../../lib/errors.ts'
import { orMissing } from '../connect/or-missing.ts'

/**
 * The case of an execution, or of a run of one of the agents, by its id.
 *
 * @throws AppError `not_found`; ApiError 409 for a run that can't be kept.
 */
export async function findRunCase(client: Client, id: string): Promise<KeptCase> {
  const ofExecution = await orMissing(client.getExecutionCase({ params: { executionId: id } }))
  if (ofExecution) return ofExecution
  for (const agent of await client.listAgents()) {
    const found = await orMissing(client.getAgentRunCase({ params: { id: agent.id, runId: id } }))
    if (found) return found
  }
  throw new AppError('not_found', `No execution or agent run found with id "${id}"`, {
    hint: 'It may have been deleted by retention, or its agent is not in the configuration any more. Run `agentserver list executions` to list executions.',
  })
}
