import type { FindStep } from '../../contract/fold-events.ts'
import type { StepDescription } from '../../contract/endpoints/workflow.ts'

/** Finds path and name of a step of a workflow by its id. */
export function stepFinder(steps: readonly StepDescription[]): FindStep {
  const found = new Map<string, { path: string; name: string }>()
  const add = (list: readonly StepDescription[], outer: string) => {
    for (const { id, name, type, steps: inner = [] } of list) {
      // the steps of a group are recorded below the step around it
      const path = type === 'group' ? outer : `${outer}${id}/`
      if (type !== 'group') found.set(id, { path: path.slice(0, -1), name })
      add(inner, path)
    }
  }
  add(steps, '')
  return (stepId) => found.get(stepId)
}
