import type { SuspendPending, SuspendResult } from '../../contract/endpoints/execution.ts'
import { idOfUser } from '../../contract/access/user-key.ts'
import { delay, toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { ExecutionRef } from './deps.ts'
import type { CommandDeps } from './live-runs.ts'
import type { EndCommand } from './deps.ts'
import { findExecution } from './find.ts'
import { logCommand } from '../record/log-command.ts'
import { recoverExecution } from './recover.ts'

/**
 * Suspends a running execution at its next step boundary. Returns the pending request when no boundary is
 * reached within `suspendWaitMs`.
 *
 * @throws AppError `not_found`; `not_suspendable` when the execution does not run, or ends before a boundary.
 */
export async function suspend(
  deps: CommandDeps,
  ref: ExecutionRef,
  { reason, user }: EndCommand,
): Promise<SuspendResult | SuspendPending> {
  const { runs, suspendWaitMs, clock, logger } = deps
  const row = await findExecution(deps, ref)
  if (row.status !== 'running') throw notSuspendable(row)
  const requestedAt = toIso(clock.now())
  const by = idOfUser(user)
  const suspendRequest = JSON.stringify({ reason, requestedAt, by })
  // an execution whose process died is recovered, and suspends before its next step
  const run = runs.get(row.id) ?? (await recoverExecution(deps, row.id, { suspendRequest }))
  if (!run || run.record.closed) throw notSuspendable(row)
  run.record.stage({ set: { suspendRequest } })
  run.requestSuspend({ reason, by })
  logCommand(logger, row, 'Suspension requested', { suspendedBy: by })
  const timer = new AbortController()
  const wait = delay(suspendWaitMs, timer.signal).catch(() => undefined)
  const end = await Promise.race([run.ended, wait])
  timer.abort()
  if (!end) return { executionId: row.id, status: 'running', suspension: { requestedAt, reason } }
  if (end.kind !== 'settled' || end.outcome.status !== 'suspended')
    throw notSuspendable(await findExecution(deps, ref))
  const { at, request } = end.outcome
  return {
    executionId: row.id,
    status: 'suspended',
    suspension: { suspendedAt: toIso(at), reason: request.reason },
  }
}

function notSuspendable({ id, status }: ExecutionRow): AppError {
  return new AppError('not_suspendable', `Execution can't be suspended: ${id} is ${status}`)
}
