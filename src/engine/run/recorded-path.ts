import type { StepRow } from '../../store/execution-store.ts'
import { formerIds } from '../../workflow/step.ts'
import type { StepDefinition } from '../../workflow/definition.ts'

/** The path at which a step is recorded: that of its id, or of an id that it had before and under which it has run. */
export function recordedPath(
  steps: ReadonlyMap<string, StepRow>,
  step: Pick<StepDefinition, 'id' | 'was'>,
  within?: string,
): string {
  const pathOf = (id: string) => (within === undefined ? id : `${within}/${id}`)
  const path = pathOf(step.id)
  if (step.was === undefined || steps.has(path)) return path
  return (
    formerIds(step)
      .map(pathOf)
      .find((former) => steps.has(former)) ?? path
  )
}
