import type { CancelPending, CancelResult } from '../../contract/endpoints/end-results.ts'
import { idOfUser } from '../../contract/access/user-key.ts'
import { isFinal } from '../../contract/is-final.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import { startTimer, toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { shownCompensation } from '../record/compensation.ts'
import type { CancelRequest, CancelledOutcome } from '../run/outcome.ts'
import type { CommandDeps } from './live-runs.ts'
import { terminateExecution } from './terminate.ts'
import { awaitRemote } from './remote-executions.ts'
import { findExecution } from './find.ts'
import type { ExecutionRef } from './find.ts'
import type { EndCommand } from './suspend.ts'
import { logCommand } from '../record/log-command.ts'

/** A request to cancel an execution. */
export interface CancelCommand extends EndCommand {
  /** Leaves the compensations, also those that have begun. */
  readonly force?: boolean | undefined
}

/** The reason of a child whose parent does not wait for it any more. */
export const NOT_NEEDED = 'The parent execution does not wait for it any more'

/**
 * Cancels an execution, whether it runs or is suspended, and its children. If completed steps have compensations, it ends after
 * these; returns that it is pending when they have not ended within `waitMs`.
 *
 * @throws AppError `not_found`; `not_cancellable` when it has ended, or ends in another way; `conflict` when other calls keep
 *   changing it.
 */
export async function cancel(
  deps: CommandDeps,
  ref: ExecutionRef,
  { reason, user, force, waitMs }: CancelCommand,
): Promise<CancelResult | CancelPending> {
  const row = await findExecution(deps, ref)
  const { id } = row
  const by = idOfUser(user)
  const outcome = await cancelWithChildren(deps, id, { reason, by, ...(force && { force }) })
  if (!outcome) throw notCancellable(await findExecution(deps, ref))
  logCommand(deps.logger, row, 'Execution cancelled', { cancelledBy: by })
  if (outcome === 'compensating') return untilCompensated(deps, id, { reason, waitMs })
  return cancelled(id, outcome.at, outcome)
}

/**
 * Cancels an execution and its children. `compensating`: it ends after its compensations. `undefined` when it has ended or
 * does not exist.
 */
export async function cancelWithChildren(
  deps: CommandDeps,
  id: string,
  { reason, by, ...options }: CancelRequest,
): Promise<CancelledOutcome | 'compensating' | undefined> {
  const cancelled = (at: number) => ({ status: 'cancelled', at, reason, by }) as const
  const ended = await terminateExecution(deps, id, { endingAt: cancelled, reason, by, ...options })
  return ended as CancelledOutcome | 'compensating' | undefined
}

/** Waits until the compensations of a cancelled execution have ended, but at most `waitMs`. */
async function untilCompensated(
  deps: CommandDeps,
  id: string,
  { reason, waitMs }: EndCommand,
): Promise<CancelResult | CancelPending> {
  const timeout = createDeferred<undefined>()
  const stopTimer = startTimer(deps.clock, waitMs, () => timeout.resolve(undefined))
  const ended = await Promise.race([untilEnded(deps, id), timeout.promise]).finally(stopTimer)
  if (!ended) return { executionId: id, status: 'running', compensating: { reason: 'cancelled' } }
  // it failed before, and has ended with its error
  if (ended.status !== 'cancelled') throw notCancellable(ended)
  return cancelled(id, ended.endedAt ?? ended.updatedAt, { reason, ...shownCompensation(ended) })
}

/** The row of an execution once it has ended, wherever it runs; `undefined` when this server stops. */
async function untilEnded(deps: CommandDeps, id: string): Promise<ExecutionRow | undefined> {
  const { runs, store } = deps
  for (;;) {
    await runs.get(id)?.ended
    const row = await awaitRemote(deps, id)
    if (row && isFinal(row.status)) return row
    if (runs.stopping || (!row && !runs.get(id) && !(await store.executions.get(id)))) return undefined
  }
}

function cancelled(
  executionId: string,
  at: number,
  { reason, compensation }: Pick<CancelledOutcome, 'reason' | 'compensation'>,
): CancelResult {
  return {
    executionId,
    status: 'cancelled',
    cancelledAt: toIso(at),
    reason,
    ...(compensation && { compensation }),
  }
}

function notCancellable({ id, status }: ExecutionRow): AppError {
  return new AppError('not_cancellable', `Execution can't be cancelled: ${id} is ${status}`)
}
