import type { Agent } from '../../agent/agent.ts'
import { ANSWER_STEP } from '../../contract/step-path.ts'
import { createWorkflow } from '../../workflow/create-workflow.ts'
import type { WorkflowDefinition } from '../../workflow/definition.ts'
import { defineStep } from '../../workflow/step.ts'

// ids of workflows have no colon
const PREFIX = 'agent:'

/** The id of what an agent's answers are executions of. */
export function answersId(agentId: string): string {
  return PREFIX + agentId
}

/** The id of the agent, if this is such an id. */
export function agentIdIn(workflowId: string): string | undefined {
  return workflowId.startsWith(PREFIX) ? workflowId.slice(PREFIX.length) : undefined
}

const NO_REQUEST = { prompt: '', context: {}, userId: undefined, user: undefined, conversationId: undefined }

/** What an agent's answers are executions of: one step that has the answer, and is not tried again when it fails. */
export function answersOf(agent: Agent): WorkflowDefinition {
  const step = defineStep(
    'andAgent',
    { id: ANSWER_STEP, retries: 0 },
    {
      agent,
      run: (runtime) =>
        runtime.invoke(async ({ signal }) => {
          // the record of the answer has the request
          await runtime.callAgent(agent, { ...NO_REQUEST, signal })
        }),
    },
  )
  return createWorkflow({ id: answersId(agent.id), name: agent.name }, step as never)
}
