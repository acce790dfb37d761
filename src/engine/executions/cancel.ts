import type { CancelResult } from '../../contract/endpoints/executions/end-results.ts'
import { idOfUser } from '../../contract/access/user-key.ts'
import { isFinal } from '../../contract/is-final.ts'
import { toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { isStored } from '../record/commit.ts'
import { outcomeChange } from '../record/outcome-change.ts'
import type { CancelledOutcome, EndRequest } from '../run/outcome.ts'
import type { EndCommand, ExecutionRef } from './deps.ts'
import type { CommandDeps } from './live-runs.ts'
import { findExecution } from './find.ts'
import { logCommand } from '../record/log-command.ts'
import { resumeParents } from './parent-child.ts'

/** How often a change by another call is waited for. */
const ATTEMPTS = 5

/**
 * Cancels an execution, whether it runs or is suspended, and its children.
 *
 * @throws AppError `not_found`; `not_cancellable` when it has ended; `conflict` when other calls keep changing it.
 */
export async function cancel(
  deps: CommandDeps,
  ref: ExecutionRef,
  { reason, user }: EndCommand,
): Promise<CancelResult> {
  const row = await findExecution(deps, ref)
  const { id } = row
  const by = idOfUser(user)
  const outcome = await cancelExecution(deps, id, { reason, by })
  if (!outcome) throw notCancellable(await findExecution(deps, ref))
  logCommand(deps.logger, row, 'Execution cancelled', { cancelledBy: by })
  return { executionId: id, status: 'cancelled', cancelledAt: toIso(outcome.at), reason }
}

/** Cancels an execution and its children. `undefined` when it has ended or does not exist. */
export async function cancelExecution(
  deps: CommandDeps,
  id: string,
  request: EndRequest,
): Promise<CancelledOutcome | undefined> {
  const { runs, store } = deps
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // a run that is not stored yet is stored first, so that its record can say `cancelled`
    const started = (await runs.whenStarted(id))?.started()
    await started?.catch(() => false)
    const row = await store.executions.get(id)
    if (!row || isFinal(row.status)) return undefined
    const run = row.status === 'running' ? runs.get(id) : undefined
    const outcome = await (run ? run.cancel(request) : cancelStored(deps, row, request))
    if (outcome) {
      for (const child of await store.executions.openChildren(id)) await cancelExecution(deps, child, request)
      return outcome
    }
    // another call changed it since it was read
    await runs.get(id)?.ended
  }
  throw new AppError('conflict', `Execution is being changed by other requests; try again: ${id}`)
}

/**
 * Cancels an execution that does not run in this process; another machine that runs it stops. `undefined` when its
 * status has changed in the meantime.
 */
async function cancelStored(
  deps: CommandDeps,
  row: ExecutionRow,
  request: EndRequest,
): Promise<CancelledOutcome | undefined> {
  const record = deps.runs.amend(row, await deps.store.executions.steps(row.id))
  const { reason, by, eventId } = request
  const outcome = { status: 'cancelled', at: deps.clock.now(), reason, by } as const
  if (eventId !== undefined) record.take(eventId)
  record.close(outcomeChange(outcome, row.createdAt))
  if (!isStored(await record.commit())) return undefined
  await resumeParents(deps, row)
  return outcome
}

function notCancellable({ id, status }: ExecutionRow): AppError {
  return new AppError('not_cancellable', `Execution can't be cancelled: ${id} is ${status}`)
}
