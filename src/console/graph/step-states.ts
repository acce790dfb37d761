import type { StepRecord } from '../../contract/endpoints/execution.ts'

/** How a step of an execution stands. */
export type StepState = Pick<StepRecord, 'status' | 'attempts' | 'startTime'> & {
  readonly durationMs: number | null
  readonly childExecutionId?: string | undefined
}

/** The states of steps, by path. Steps that have not started have none. */
export type StepStates = ReadonlyMap<string, StepState>

/** The states of an execution's record. */
export function stepStates(records: readonly StepRecord[]): StepStates {
  return new Map(records.map((record) => [record.path, stateOf(record)]))
}

function stateOf({ status, attempts, startTime, durationMs, childExecutionId }: StepRecord): StepState {
  return { status, attempts, startTime, durationMs, childExecutionId }
}

/** Whether two states look the same. */
export function sameState(one: StepState | undefined, other: StepState | undefined): boolean {
  return (
    one?.status === other?.status &&
    one?.attempts === other?.attempts &&
    one?.durationMs === other?.durationMs
  )
}
