import type { StepDescription } from '../../contract/endpoints/workflow.ts'
import type { PlaceOf } from './with-events.ts'

/** Where the steps of a workflow stand, by their ids. */
export function stepPlaces(steps: readonly StepDescription[]): PlaceOf {
  const places = new Map<string, { path: string; name: string }>()
  const add = (list: readonly StepDescription[], outer: string) => {
    for (const { id, name, steps: inner } of list) {
      const path = `${outer}${id}`
      places.set(id, { path, name })
      if (inner) add(inner, `${path}/`)
    }
  }
  add(steps, '')
  return (stepId) => places.get(stepId)
}
