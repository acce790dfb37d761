import { EVERY_STEP } from '../../contract/breakpoints/breakpoint.ts'
import { LOOPS, compensatedPath, isHookPath, stepIdAt } from '../../contract/step-path.ts'
import { AppError } from '../../lib/errors.ts'
import { isId } from '../../lib/ids.ts'
import type { StepRow } from '../../store/execution-store.ts'
import type { PlacedStep } from '../../workflow/rules.ts'
import { noSuchStep } from '../registry.ts'
import type { RegisteredWorkflow } from '../registry.ts'

/** The steps before which an execution suspends, as its row has them: a JSON array, or null for none. */
export type StoredPauseAt = string | null

/** A step, or a recorded call. */
interface Pausable extends Pick<PlacedStep, 'path'> {
  readonly step: Pick<PlacedStep['step'], 'id'>
}

/** Whether an execution suspends before a step or a recorded call. Ids without an index mean every round and item of the step. */
export function pausesBefore(pauseAt: StoredPauseAt, { step, path }: Pausable): boolean {
  if (pauseAt === null || isHookPath(path) || compensatedPath(path) !== undefined) return false
  const ids = JSON.parse(pauseAt) as readonly string[]
  const rounds = path.match(ROUNDS)?.join('') ?? ''
  return [EVERY_STEP, step.id, path, stepIdAt(path), step.id + rounds].some((id) => ids.includes(id))
}

const ROUNDS = /\[\d+\]/g

/** Whether a step waits at a breakpoint: it is suspended and has not been attempted. */
export function isAtBreakpoint({ status, attempts }: Pick<StepRow, 'status' | 'attempts'>): boolean {
  return status === 'suspended' && attempts === 0
}

/**
 * The breakpoints of a request, as they are stored.
 *
 * @throws AppError `invalid_input` when the workflow has no such step.
 */
export function storedPauseAt(workflow: RegisteredWorkflow, pauseAt: readonly string[] = []): StoredPauseAt {
  for (const id of pauseAt) {
    const problem = id === EVERY_STEP ? undefined : problemOf(id, workflow)
    if (problem !== undefined) throw new AppError('invalid_input', `options.pauseAt: ${problem}`)
  }
  return pauseAt.length === 0 ? null : JSON.stringify([...new Set(pauseAt)])
}

function problemOf(id: string, workflow: RegisteredWorkflow): string | undefined {
  // the calls of a function are not known before it makes them; those within a step are named by their path
  const path = id.split('/')
  const mayBeCall = workflow.definition.run !== undefined || path.length > 1
  if (mayBeCall && path.every((part) => isId(part.replaceAll(ROUNDS, ''))) && workflow.hasCallsAt(id))
    return undefined
  const { placeById } = workflow
  const [declared = ''] = id.split('[')
  const place = placeById.get(declared)
  if (!place) return noSuchStep(workflow, declared)
  const rounds = id.match(ROUNDS)?.length ?? 0
  if (rounds === 0) return undefined
  const isLoop = (stepId: string) => LOOPS.has(placeById.get(stepId)?.step.type ?? 'andThen')
  const around = place.path.split('/').slice(0, -1).filter(isLoop).length
  if (rounds === around || (isLoop(declared) && rounds === around + 1)) return undefined
  const most = around + Number(isLoop(declared))
  return `the step "${declared}" ${most === 0 ? 'does not run in rounds' : `has ${most === 1 ? 'one index' : `${most} indexes`}`}: "${id}"`
}

/** The breakpoints of an execution, as its record shows them. */
export function shownPauseAt(pauseAt: StoredPauseAt): { pauseAt?: string[] } {
  return pauseAt === null ? {} : { pauseAt: JSON.parse(pauseAt) as string[] }
}
