import type { Compensation, CompensationReason } from '../../contract/status.ts'
import type { ExecutionRow, StepRow } from '../../store/execution-store.ts'
import type { EndingOutcome } from '../run/outcome.ts'
import { workflowCompensating } from './execution-events.ts'
import type { RecordChange } from './outcome-change.ts'
import { decodeStored } from './values.ts'

/** The column `compensation`: while the completed steps are compensated, how the execution ends after it. */
type StoredCompensation = Compensation | { readonly ending: EndingOutcome }

/** How an execution ends when its steps are compensated; `undefined` if they are not, or not any more. */
export function endingOf({ compensation }: Pick<ExecutionRow, 'compensation'>): EndingOutcome | undefined {
  if (compensation === null) return undefined
  const stored = decodeStored<StoredCompensation | undefined>(compensation, undefined)
  return typeof stored === 'object' ? stored.ending : undefined
}

/** The members of a record that show its compensations. */
export function shownCompensation(row: Pick<ExecutionRow, 'compensation'>): {
  compensating?: { reason: CompensationReason }
  compensation?: Compensation
} {
  if (row.compensation === null) return {}
  const ending = endingOf(row)
  if (ending) return { compensating: { reason: compensationReason(ending) } }
  return { compensation: decodeStored<Compensation>(row.compensation, 'failed') }
}

/** Why steps are compensated. */
export function compensationReason(ending: EndingOutcome): CompensationReason {
  if (ending.status === 'cancelled') return 'cancelled'
  return ending.error.name === 'WorkflowTimeoutError' ? 'timeout' : 'error'
}

/** The completed steps of an execution that have a compensation, the last first. */
export function compensable(steps: Iterable<StepRow>): StepRow[] {
  return [...steps]
    .filter(({ completion }) => completion !== null)
    .toSorted((a, b) => Number(b.completion) - Number(a.completion))
}

/** The change with which the compensations of an execution begin: what is open of it is cancelled. */
export function compensationStart(ending: EndingOutcome): RecordChange {
  return {
    at: ending.at,
    set: {
      status: 'running',
      suspension: null,
      suspendRequest: null,
      compensation: JSON.stringify({ ending } satisfies StoredCompensation),
    },
    cancelSteps: true,
    events: [workflowCompensating(compensationReason(ending), ending)],
  }
}
