import type { Agent } from '../agent/agent.ts'
import { withSubAgents } from '../agent/registered-tools.ts'
import { placedSteps } from './rules.ts'
import type { WorkflowDefinition } from './workflow.ts'

/** All agents of a configuration, each once: those it declares, those that steps ask, and those that agents ask. */
export function usedAgents({
  agents,
  workflows,
}: {
  readonly agents: readonly Agent[]
  readonly workflows: readonly WorkflowDefinition[]
}): Agent[] {
  const asked = withChildren(workflows)
    .flatMap((workflow) => placedSteps(workflow))
    .flatMap(({ step }) => step.agent ?? [])
  return withSubAgents([...agents, ...asked])
}

/** The workflows and those that their steps run, each once. */
function withChildren(workflows: readonly WorkflowDefinition[]): WorkflowDefinition[] {
  const found = new Set<WorkflowDefinition>()
  const add = (workflow: WorkflowDefinition) => {
    if (found.has(workflow)) return
    found.add(workflow)
    for (const { step } of placedSteps(workflow)) if (step.workflow) add(step.workflow)
  }
  for (const workflow of workflows) add(workflow)
  return [...found]
}
