import type { StepDefinition } from '../../workflow/definition.ts'
import type { DurableRecord } from '../record/execution-record.ts'
import type { CrashGuard } from './crash-guard.ts'
import type { ErrorRecording, RunAborted } from './errors.ts'
import type { RunContext } from './run-context.ts'
import type { RunTrace } from './run-trace.ts'
import type { Round, SuspendRequest } from './step-task.ts'
import type { ChildRuns } from './steps/child.ts'
import type { RunActivity } from './steps/run-activity.ts'
import type { FindEvent } from './steps/wait-for-event.ts'

/** What the steps of a run share. */
export interface StepDeps {
  readonly context: RunContext
  readonly record: DurableRecord
  readonly children: ChildRuns
  readonly trace: RunTrace
  readonly crashes: CrashGuard
  readonly activity: RunActivity
  readonly errors: ErrorRecording
  readonly findEvent: FindEvent
  /** A number in [0, 1). */
  readonly random: () => number
  /** The request to suspend or stop at the next step boundary, if there is one. */
  readonly stopRequest: () => SuspendRequest | RunAborted | undefined
  /** Called with each recorded call that a function makes. */
  readonly onCall: (path: string, step: StepDefinition) => void
  /**
   * Set when functions run over their record for the calls that they make, and start none: when the steps were cancelled that
   * were open.
   */
  readonly collectsAt: number | undefined
  /** Called when a time or an event has come for which a step may wait. */
  readonly waits: Set<() => void>
}

/** Where a step runs. */
export interface Placement {
  readonly step: StepDefinition
  readonly path: string
  /** The rounds and items in which it runs, the outer one first. */
  readonly rounds: readonly Round[]
  /** The step's input, JSON text. */
  readonly data: string
  /** The position of a recorded call. Others have that of their declaration. */
  readonly index?: number
}
