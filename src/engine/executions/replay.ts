import { AppError } from '../../lib/errors.ts'
import { NEW_STEP } from '../../store/execution-store.ts'
import type { StepRow } from '../../store/execution-store.ts'
import type { RegisteredWorkflow } from '../registry.ts'

interface ReplayOptions {
  readonly workflow: RegisteredWorkflow
  readonly stepId: string
  /** Replaces the step's input; JSON text. */
  readonly input: string | undefined
  readonly now: number
}

/**
 * The step records a replay begins with: the results that came before the step, and the step itself and what
 * it is nested in, with their inputs and not yet run.
 */
export function replayed(
  rows: readonly StepRow[],
  { workflow, stepId, input, now }: ReplayOptions,
): StepRow[] {
  const place = workflow.placeById.get(stepId)
  const target = place && rows.find(({ path }) => path === place.path)
  if (!place) throw new AppError('invalid_input', `stepId: the workflow has no step "${stepId}"`)
  if (!target) throw new AppError('invalid_input', `stepId: the execution did not reach the step "${stepId}"`)
  const { path } = place
  const leads = (outer: string) => path === outer || path.startsWith(`${outer}/`)
  const inRace = (row: StepRow) =>
    rows.some(
      ({ type, path: outer }) => type === 'andRace' && leads(outer) && row.path.startsWith(`${outer}/`),
    )
  return rows.flatMap((row) => {
    if (leads(row.path))
      return [unstarted(row === target && input !== undefined ? { ...row, input } : row, now)]
    const earlier =
      row.position < place.index || (row.position === place.index && !row.path.startsWith(`${path}/`))
    // a finished rival would win the race again before the step has run
    return earlier && isDone(row) && !inRace(row) ? [row] : []
  })
}

function isDone({ status, type }: StepRow): boolean {
  return status === 'completed' || status === 'skipped' || (status === 'error' && type === 'andTap')
}

function unstarted(row: StepRow, now: number): StepRow {
  return { ...row, ...NEW_STEP, status: 'running', startedAt: now }
}
