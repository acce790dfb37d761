import type { ExecutionChange, StepRow } from '../../store/execution-store.ts'
import type { EventDraft } from './execution-events.ts'

/** One change of an execution. */
export interface RecordChange {
  /** When it happened, in milliseconds since the epoch. Default: now. */
  readonly at?: number
  /** Columns of the execution. */
  readonly set?: Omit<ExecutionChange, 'updatedAt'>
  readonly step?: StepRow
  /** The path of the step at which it was suspended. */
  readonly suspendedAt?: string
  readonly cancelSteps?: boolean
  readonly events?: readonly EventDraft[]
}
