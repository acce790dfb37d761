import { placedSteps } from './rules.ts'
import type { WorkflowDefinition } from './definition.ts'

/** The workflows and those that their steps run, each once. */
export function withChildren(workflows: readonly WorkflowDefinition[]): WorkflowDefinition[] {
  const found = new Set<WorkflowDefinition>()
  const add = (workflow: WorkflowDefinition) => {
    if (found.has(workflow)) return
    found.add(workflow)
    for (const { step } of placedSteps(workflow)) if (isWorkflow(step.workflow)) add(step.workflow)
  }
  for (const workflow of workflows) add(workflow)
  return [...found]
}

/** Whether somebody who may not have types gave one. */
export function isWorkflow(value: unknown): value is WorkflowDefinition {
  // steps have nested steps too, and can be run
  if (typeof value !== 'object' || value === null || 'run' in value) return false
  return Array.isArray((value as WorkflowDefinition).steps)
}
