import { isWorkflow, placedSteps } from './rules.ts'
import type { WorkflowDefinition } from './definition.ts'

/** The workflows and the workflows that their steps run, without duplicates. */
export function withChildren(workflows: readonly WorkflowDefinition[]): WorkflowDefinition[] {
  const found = new Set<WorkflowDefinition>()
  const add = (workflow: WorkflowDefinition) => {
    if (found.has(workflow)) return
    found.add(workflow)
    for (const { step } of placedSteps(workflow)) if (isWorkflow(step.workflow)) add(step.workflow)
    for (const used of workflow.uses ?? []) if (isWorkflow(used)) add(used)
  }
  for (const workflow of workflows) add(workflow)
  return [...found]
}
