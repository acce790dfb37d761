import type { ExecutionDetail, StepRecord } from '../../contract/endpoints/execution.ts'
import { isPaused } from '../breakpoints/is-paused.ts'
import { pathInTree } from './step-tree.ts'
import type { FlatStep } from './step-tree.ts'

/** The state of a step in an execution. */
export type StepState = Pick<StepRecord, 'status' | 'attempts' | 'startTime' | 'progress'> & {
  readonly durationMs: number | null
  readonly childExecutionId?: string | undefined
}

/** The states of steps by path. Steps that have not started are missing. */
export type StepStates = ReadonlyMap<string, StepState>

/** The states of the recorded steps of an execution, at their place in the tree. Of the rounds of a loop the last one. */
export function stepStates(records: readonly StepRecord[], placed: readonly FlatStep[]): StepStates {
  return new Map(records.map((record) => [pathInTree(record.path, placed), stateOf(record)]))
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

const LOOPS: ReadonlySet<string> = new Set(['andForEach', 'andDoWhile', 'andDoUntil'])

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
  return total === undefined ? `round ${done}` : `${done} of ${total}`
}

/** Whether two states are shown the same. */
export function sameState(one: StepState | undefined, other: StepState | undefined): boolean {
  return (
    one?.status === other?.status &&
    one?.attempts === other?.attempts &&
    one?.durationMs === other?.durationMs &&
    one?.progress?.done === other?.progress?.done
  )
}
