import type { User } from '../../contract/auth.ts'
import { idOfUser } from '../../contract/user-key.ts'
import { toJson } from '../../lib/json/to-json.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionHistory, StepRow } from '../../store/execution-store.ts'
import { workflowResumed } from '../record/execution-events.ts'
import { isStored } from '../record/execution-record.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import type { Run } from '../run/run.ts'
import type { GenerationHold } from './deps.ts'
import { logCommand } from '../record/log-command.ts'
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
  /** The authenticated user who requested it. */
  readonly user?: User | undefined
}

/**
 * Continues a suspended execution by compare-and-set. Returns `undefined` when another call resumed or cancelled it
 * after `history` was read.
 */
export async function continueSuspended(
  { runs, logger }: CommandDeps,
  history: ExecutionHistory,
  { stepId, resumeData, step, user, ...continuation }: ResumeCommand,
): Promise<Run | undefined> {
  if (runs.stopping) throw shuttingDown()
  const resumedBy = idOfUser(user)
  const resumedUser = user ? toJson(user, 'user') : null
  const record = runs.acquire({ ...history, row: { ...history.row, resumedUser } })
  record.stage({
    set: { status: 'running', suspension: null, resumedUser },
    ...(step && { step }),
    events: [workflowResumed(stepId, { resumeData, resumedBy })],
  })
  if (!isStored(await record.commit())) return undefined
  logCommand(logger, record.row, 'Execution resumed', { resumedBy })
  return runs.continue(record, continuation)
}
