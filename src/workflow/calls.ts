import { isAgent } from '../agent/agent.ts'
import type { Agent } from '../agent/agent.ts'
import { isWorkflow, placedSteps } from './rules.ts'
import type { WorkflowDefinition } from './definition.ts'

interface Calls {
  readonly agents: readonly Agent[]
  readonly workflows: readonly WorkflowDefinition[]
}

const known = new WeakMap<WorkflowDefinition, Calls>()

/** What a workflow calls: the agents and workflows of its steps, nested ones included, and those of its `uses`. */
export function callsOf(workflow: WorkflowDefinition): Calls {
  const found = known.get(workflow) ?? findCalls(workflow)
  known.set(workflow, found)
  return found
}

function findCalls(workflow: WorkflowDefinition): Calls {
  const steps = placedSteps(workflow).map(({ step }) => step)
  const uses = workflow.uses ?? []
  return {
    agents: [...steps.flatMap(({ agent }) => agent ?? []), ...uses.filter((used) => isAgent(used))],
    workflows: [...steps.map((step) => step.workflow), ...uses].filter((used) => isWorkflow(used)),
  }
}
