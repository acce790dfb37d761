import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionHistory, StepRow } from '../../store/execution-store.ts'
import { workflowResumed } from '../record/execution-events.ts'
import { isStored } from '../record/execution-record.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import type { Run } from '../run/run.ts'
import type { GenerationHold } from './deps.ts'
import type { CommandDeps } from './live-runs.ts'
import { shuttingDown } from './live-runs.ts'

export interface ResumeCommand {
  readonly workflow: RegisteredWorkflow
  readonly hold: GenerationHold
  readonly stepId: string
  /** JSON text. */
  readonly resumeData: string | null
  /** The new row of the suspended step; without it, the step has not started. */
  readonly step?: StepRow
  /** The span that requested it. */
  readonly cause?: TraceScope | undefined
}

/**
 * Continues a suspended execution by compare-and-set. Returns `undefined` when another call resumed or cancelled it
 * after `history` was read.
 */
export async function continueSuspended(
  { runs }: CommandDeps,
  history: ExecutionHistory,
  { stepId, resumeData, step, ...continuation }: ResumeCommand,
): Promise<Run | undefined> {
  if (runs.stopping) throw shuttingDown()
  const record = runs.acquire(history)
  record.stage({
    set: { status: 'running', suspension: null },
    ...(step && { step }),
    events: [workflowResumed(stepId, resumeData)],
  })
  return isStored(await record.commit()) ? runs.continue(record, continuation) : undefined
}
