import type { ExecutionDetail, StepRecord } from '../../contract/endpoints/execution.ts'
import { BREAKPOINT } from '../../contract/breakpoints/breakpoint.ts'
import { LOOPS, isInRound } from '../../contract/step-path.ts'
import { pathInTree } from './step-tree.ts'
import type { FlatStep } from './step-tree.ts'
import { countText } from '../ui/time/format-time.ts'

/** The state of a step in an execution. */
export type StepState = Pick<StepRecord, 'status' | 'attempts' | 'startTime' | 'progress'> & {
  readonly durationMs: number | null
  readonly childExecutionId?: string | undefined
  /** The number of failed items, of a loop or of a step in one. Undefined when none has failed. */
  readonly failed?: number
}

/** The states of steps by path. Steps that have not started are missing. */
export type StepStates = ReadonlyMap<string, StepState>

/**
 * The states of the recorded steps of an execution, at their place in the tree. Of the rounds of a loop the last one, with
 * the number of those that failed.
 */
export function stepStates(records: readonly StepRecord[], placed: readonly FlatStep[]): StepStates {
  const states = new Map<string, StepState>()
  for (const record of records) {
    const place = pathInTree(record.path, placed)
    const failed = (states.get(place)?.failed ?? 0) + failedItems(record)
    states.set(place, { ...stateOf(record), ...(failed > 0 && { failed }) })
  }
  return states
}

/** Of a loop its failed items; a step in a loop is one itself. */
function failedItems({ path, status, progress }: StepRecord): number {
  return progress ? (progress.failed ?? 0) : Number(isInRound(path) && status === 'error')
}

/** Whether a step completed although items of it failed, as `onError: 'continue'` allows. */
export function isPartlyFailed({ status, failed }: StepState): boolean {
  return status === 'completed' && failed !== undefined
}

/** The states of an execution's steps, with the one that it is paused before. */
export function executionStates(
  record: ExecutionDetail | undefined,
  placed: readonly FlatStep[],
): StepStates {
  const states = stepStates(record?.steps ?? [], placed)
  if (!record?.suspension || !isPaused(record)) return states
  const { stepId, suspendedAt: startTime } = record.suspension
  const step = pausedStep(stepId, placed)
  if (!step) return states
  return new Map([...states, [step.path, { status: 'suspended', attempts: 0, durationMs: null, startTime }]])
}

/** The step of an id: of a round of a loop, its step. */
function pausedStep(stepId: string, placed: readonly FlatStep[]): FlatStep | undefined {
  const [id = ''] = stepId.split('[')
  const step = placed.find((one) => one.step.id === id)
  const isRound = id !== stepId && step && LOOPS.has(step.step.type)
  return isRound ? placed.find((one) => one.parentPath === step.path) : step
}

function stateOf({
  status,
  attempts,
  startTime,
  durationMs,
  childExecutionId,
  progress,
}: StepRecord): StepState {
  return { status, attempts, startTime, durationMs, childExecutionId, ...(progress && { progress }) }
}

/** `37 of 200`; the number of rounds of a loop. */
export function progressText({ done, total }: NonNullable<StepRecord['progress']>): string {
  return total === undefined ? `round ${countText(done)}` : `${countText(done)} of ${countText(total)}`
}

/** Whether two states are shown the same. */
export function sameState(one: StepState | undefined, other: StepState | undefined): boolean {
  return (
    one?.status === other?.status &&
    one?.attempts === other?.attempts &&
    one?.durationMs === other?.durationMs &&
    one?.progress?.done === other?.progress?.done &&
    one?.failed === other?.failed
  )
}

/** Whether an execution is suspended at a breakpoint: before a step, which therefore has no record. */
export function isPaused({ status, suspension, steps }: ExecutionDetail): boolean {
  if (status !== 'suspended' || suspension?.reason !== BREAKPOINT) return false
  return !steps.some(({ stepId }) => stepId === suspension.stepId)
}
