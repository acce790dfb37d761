import type { ExecutionChange, StepRow } from '../../store/execution-store.ts'
import type { JobChange } from '../../store/dispatcher.ts'
import type { EventDraft } from './execution-events.ts'

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
