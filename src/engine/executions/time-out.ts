import { isFinal } from '../../contract/is-final.ts'
import { parseDuration } from '../../lib/duration.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { WorkflowTimeoutError } from '../run/errors.ts'
import type { EndingOutcome } from '../run/outcome.ts'
import type { CommandDeps } from './live-runs.ts'
import { terminateExecution } from './terminate.ts'

/**
 * Ends an execution whose timeout is over, as a cancel does, but with an error. `undefined` when it has ended or does not
 * exist. `no workflow`: a server that has its workflow ends it, with its compensations and hooks.
 */
export async function timeOutExecution(
  deps: CommandDeps,
  id: string,
): Promise<EndingOutcome | 'compensating' | 'no workflow' | undefined> {
  const row = await deps.store.executions.get(id)
  if (!row || row.timesOutAt === null || isFinal(row.status)) return undefined
  if (!deps.registry().find(row.workflowId)) return 'no workflow'
  const { name, message } = new WorkflowTimeoutError(timeoutOf(row, row.timesOutAt, deps))
  const endingAt = (at: number) => ({ status: 'error', at, error: { name, message } }) as const
  return terminateExecution(deps, id, { endingAt, reason: 'The parent execution has timed out' })
}

/** As the workflow declares it, unless that has changed since. */
function timeoutOf({ workflowId, createdAt }: ExecutionRow, timesOutAt: number, { registry }: CommandDeps) {
  const declared = registry().find(workflowId)?.definition.timeout
  const ms = timesOutAt - createdAt
  return declared !== undefined && parseDuration(declared) === ms ? declared : ms
}
