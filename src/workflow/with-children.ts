import { callsOf } from './calls.ts'
import type { WorkflowDefinition } from './definition.ts'

/** The workflows and the workflows that they call, without duplicates. */
export function withChildren(workflows: readonly WorkflowDefinition[]): WorkflowDefinition[] {
  const found = new Set<WorkflowDefinition>()
  const add = (workflow: WorkflowDefinition) => {
    if (found.has(workflow)) return
    found.add(workflow)
    for (const called of callsOf(workflow).workflows) add(called)
  }
  for (const workflow of workflows) add(workflow)
  return [...found]
}
