import type { StepRecord } from '../../contract/endpoints/execution.ts'

/** The state of a step in an execution. */
export type StepState = Pick<StepRecord, 'status' | 'attempts' | 'startTime'> & {
  readonly durationMs: number | null
  readonly childExecutionId?: string | undefined
}

/** The states of steps by path. Steps that have not started are missing. */
export type StepStates = ReadonlyMap<string, StepState>

/** The states of the recorded steps of an execution. */
export function stepStates(records: readonly StepRecord[]): StepStates {
  return new Map(records.map((record) => [record.path, stateOf(record)]))
}

function stateOf({ status, attempts, startTime, durationMs, childExecutionId }: StepRecord): StepState {
  return { status, attempts, startTime, durationMs, childExecutionId }
}

/** Whether two states are shown the same. */
export function sameState(one: StepState | undefined, other: StepState | undefined): boolean {
  return (
    one?.status === other?.status &&
    one?.attempts === other?.attempts &&
    one?.durationMs === other?.durationMs
  )
}
