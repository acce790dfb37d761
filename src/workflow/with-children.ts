import { placedSteps } from './rules.ts'
import type { WorkflowDefinition } from './definition.ts'

/** The workflows and the workflows that their steps run, without duplicates. */
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

/** Whether `value` is a workflow. Checks declarations of untyped configurations. */
export function isWorkflow(value: unknown): value is WorkflowDefinition {
  // steps also have `steps`, but workflows have no `run`
  if (typeof value !== 'object' || value === null || 'run' in value) return false
  return Array.isArray((value as WorkflowDefinition).steps)
}
