import type { WorkflowDefinition } from '../../workflow/definition.ts'
import type { Schedule } from '../../workflow/schedule/schedule.ts'
import { isWorkflow } from '../../workflow/rules.ts'
import { withChildren } from '../../workflow/with-children.ts'
import { duplicates, itemProblems, unknownItems } from './declarations.ts'

/** The problems of the declared schedules. `workflows` are those of the configuration. */
export function scheduleProblems(schedules: readonly Schedule[], workflows: readonly unknown[]): string[] {
  const unknown = unknownItems('schedules', schedules, 'createSchedule()')
  if (unknown) return unknown
  const known = withChildren(workflows.filter(isWorkflow))
  return [
    ...itemProblems('schedules', schedules, ({ id }) => id),
    ...duplicates('schedule id', schedules),
    ...schedules.flatMap((schedule, index) => workflowProblems(schedule, { index, known })),
  ]
}

/** A workflow with the same id is another one: it may be a copy with other steps. */
function workflowProblems(
  { id, workflow }: Schedule,
  { index, known }: { readonly index: number; readonly known: readonly WorkflowDefinition[] },
): string[] {
  if (!isWorkflow(workflow) || known.includes(workflow)) return []
  return [`schedules[${index}] "${id}": add the workflow "${workflow.id}" to "workflows"`]
}
