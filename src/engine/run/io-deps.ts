import type { CrashGuard } from './crash-guard.ts'
import type { SuspendRequest } from './durable-io.ts'
import type { ErrorRecording, RunAborted } from './errors.ts'
import type { RunTrace } from './run-trace.ts'
import type { WaitDeps } from './steps/attempt.ts'
import type { ChildRuns } from './steps/child.ts'
import type { RunActivity } from './steps/run-activity.ts'
import type { FindEvent } from './steps/wait-for-event.ts'

/** What the durable operations of a run need. */
export interface IoDeps extends WaitDeps {
  readonly errors: ErrorRecording
  readonly children: ChildRuns
  readonly trace: RunTrace
  readonly crashes: CrashGuard
  readonly activity: RunActivity
  readonly findEvent: FindEvent
  /** A number in [0, 1). */
  readonly random: () => number
  /** The request to suspend or stop at the next step boundary, if there is one. */
  readonly stopRequest: () => SuspendRequest | RunAborted | undefined
}
