import type { FindStep } from '../../contract/fold-events.ts'
import type { StepDescription } from '../../contract/endpoints/workflow.ts'

/** Finds path and name of a step of a workflow by its id. */
export function stepFinder(steps: readonly StepDescription[]): FindStep {
  const found = new Map<string, { path: string; name: string }>()
  const add = (list: readonly StepDescription[], outer: string) => {
    for (const { id, name, steps: inner } of list) {
      const path = `${outer}${id}`
      found.set(id, { path, name })
      if (inner) add(inner, `${path}/`)
    }
  }
  add(steps, '')
  return (stepId) => found.get(stepId)
}
