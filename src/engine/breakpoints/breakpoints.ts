import { EVERY_STEP } from '../../contract/breakpoints/breakpoint.ts'
import { stepIdAt } from '../../contract/step-path.ts'
import { AppError } from '../../lib/errors.ts'
import type { StepRow } from '../../store/execution-store.ts'
import type { PlacedStep } from '../../workflow/rules.ts'
import type { RegisteredWorkflow } from '../registry.ts'

/** The steps before which an execution suspends, as its row has them: a JSON array, or null for none. */
export type StoredPauseAt = string | null

/** Whether an execution suspends before a step. Ids without an index mean every round and item of the step. */
export function pausesBefore(pauseAt: StoredPauseAt, { step, path }: PlacedStep): boolean {
  if (pauseAt === null) return false
  const ids = JSON.parse(pauseAt) as readonly string[]
  return ids.includes(EVERY_STEP) || ids.includes(step.id) || ids.includes(stepIdAt(path))
}

/** Whether a step waits at a breakpoint: it is suspended and has not been attempted. */
export function isAtBreakpoint({ status, attempts }: Pick<StepRow, 'status' | 'attempts'>): boolean {
  return status === 'suspended' && attempts === 0
}

/**
 * The breakpoints of a request, as they are stored.
 *
 * @throws AppError `invalid_input` when the workflow has no such step.
 */
export function storedPauseAt(
  { definition, placeById }: RegisteredWorkflow,
  pauseAt: readonly string[] = [],
): StoredPauseAt {
  const known = [...placeById.values()].map((place) => place.step.id)
  for (const id of pauseAt) {
    const [declared = ''] = id.split('[')
    if (id !== EVERY_STEP && !placeById.has(declared))
      throw new AppError(
        'invalid_input',
        `options.pauseAt: the workflow "${definition.id}" has no step "${declared}"; its steps are ${known.join(', ')}`,
      )
  }
  return pauseAt.length === 0 ? null : JSON.stringify([...new Set(pauseAt)])
}

/** The breakpoints of an execution, as its record shows them. */
export function shownPauseAt(pauseAt: StoredPauseAt): { pauseAt?: string[] } {
  return pauseAt === null ? {} : { pauseAt: JSON.parse(pauseAt) as string[] }
}
