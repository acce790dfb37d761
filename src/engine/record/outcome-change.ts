import type { RunOutcome } from '../run/outcome.ts'
import { outcomeEvents, storedSuspension } from './execution-events.ts'
import type { EventDraft } from './execution-events.ts'
import type { ExecutionChange, ExecutionRow, StepRow } from '../../store/execution-store.ts'
import type { JobChange } from '../../store/dispatcher.ts'
import { failureGroup } from './failure-group.ts'

/** One change of an execution. */
export interface RecordChange {
  /** When it happened, in milliseconds since the epoch. Default: now. */
  readonly at?: number
  /** Columns of the execution. */
  readonly set?: Omit<ExecutionChange, 'updatedAt'>
  readonly step?: StepRow
  readonly cancelSteps?: boolean
  readonly events?: readonly EventDraft[]
  readonly jobs?: JobChange
}

/** The change that records the outcome of an execution. */
export function outcomeChange(outcome: RunOutcome, row: ExecutionRow): RecordChange {
  const { status, at } = outcome
  return {
    at,
    set: {
      status,
      suspendRequest: null,
      ...(status === 'suspended'
        ? { suspension: JSON.stringify(storedSuspension(outcome)) }
        : { endedAt: at, suspension: null }),
      ...(status === 'completed' && { output: outcome.output }),
      ...(status === 'error' && {
        error: JSON.stringify(outcome.error),
        failure: failureGroup(outcome.error, row),
      }),
      ...('compensation' in outcome && { compensation: JSON.stringify(outcome.compensation) }),
    },
    cancelSteps: status === 'cancelled' || status === 'error',
    events: outcomeEvents(outcome, row.createdAt),
  }
}
