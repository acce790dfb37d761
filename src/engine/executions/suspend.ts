import type { SuspendPending, SuspendResult } from '../../contract/endpoints/end-results.ts'
import type { User } from '../../contract/auth.ts'
import { idOfUser } from '../../contract/access/user-key.ts'
import { delay, toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { EndRequest } from '../run/outcome.ts'
import type { Commit } from '../record/commit.ts'
import { endingOf } from '../record/compensation.ts'
import type { StoredSuspension } from '../record/execution-events.ts'
import type { CommandDeps } from './live-runs.ts'
import { shuttingDown } from './live-runs.ts'
import { awaitRemote, runsRemotely, storeSuspendRequest } from './remote-executions.ts'
import { findExecution } from './find.ts'
import type { ExecutionRef } from './find.ts'
import { logCommand } from '../record/log-command.ts'
import { recoverExecution } from './recover.ts'

/** A request to suspend or cancel an execution. */
export interface EndCommand {
  readonly reason: string
  /** The authenticated user who made it. */
  readonly user?: User | undefined
  /** How long it is waited for, in milliseconds. */
  readonly waitMs: number
}

/**
 * Suspends a running execution at its next step boundary, on whatever machine it runs. Returns the pending request
 * when no boundary is reached within `waitMs`.
 *
 * @throws AppError `not_found`; `not_suspendable` when the execution does not run, or ends before a boundary.
 */
export async function suspend(
  deps: CommandDeps,
  ref: ExecutionRef,
  { reason, user, waitMs }: EndCommand,
): Promise<SuspendResult | SuspendPending> {
  const { executionId } = ref
  const requestedAt = toIso(deps.clock.now())
  const by = idOfUser(user)
  const request = { reason, requestedAt, by }
  const requested = await requestSuspend(deps, ref, request)
  logCommand(deps.logger, requested.row, 'Suspension requested', { suspendedBy: by })
  const timer = new AbortController()
  const wait = delay(waitMs, timer.signal).catch(() => undefined)
  const suspension = await Promise.race([untilSuspended(deps, ref, request, requested), wait])
  timer.abort()
  if (!suspension) return { executionId, status: 'running', suspension: { requestedAt, reason } }
  return { executionId, status: 'suspended', suspension }
}

interface StoredRequest extends EndRequest {
  readonly requestedAt: string
}

interface Requested {
  readonly row: ExecutionRow
  /** Settles when the request of a run in this process is stored, or lost. */
  readonly commit?: Promise<Commit>
}

/** Requests the run of an execution to suspend, in this process or another one. */
async function requestSuspend(
  deps: CommandDeps,
  ref: ExecutionRef,
  request: StoredRequest,
): Promise<Requested> {
  const row = await findExecution(deps, ref)
  if (row.status !== 'running' || endingOf(row)) throw notSuspendable(row)
  const suspendRequest = JSON.stringify(request)
  if (await runsRemotely(deps, row)) {
    const stored = await storeSuspendRequest(deps, row.id, suspendRequest)
    // it has settled since it was read
    return stored ? { row } : requestSuspend(deps, ref, request)
  }
  // an execution whose process died is recovered, and suspends before its next step
  const run = deps.runs.get(row.id) ?? (await recoverExecution(deps, row.id, { suspendRequest }))
  if (!run) {
    const now = await findExecution(deps, ref)
    if (await runsRemotely(deps, now)) return requestSuspend(deps, ref, request)
    throw notSuspendable(now)
  }
  if (run.record.closed) {
    // it settles just now: the status is known when that is stored
    await run.ended
    return requestSuspend(deps, ref, request)
  }
  run.record.stage({ set: { suspendRequest } })
  run.requestSuspend(request)
  return { row, commit: run.record.commit() }
}

/** Suspends a child with its parent. */
export async function suspendChild(deps: CommandDeps, id: string, { reason, by }: EndRequest): Promise<void> {
  const run = deps.runs.get(id)
  if (run) return run.requestSuspend({ reason, by })
  const requestedAt = toIso(deps.clock.now())
  await storeSuspendRequest(deps, id, JSON.stringify({ reason, requestedAt, by }))
}

/** Waits until an execution that was requested to suspend has done so. Throws when it has ended instead. */
async function untilSuspended(
  deps: CommandDeps,
  ref: ExecutionRef,
  request: StoredRequest,
  { commit }: Requested,
): Promise<SuspendResult['suspension']> {
  const { runs } = deps
  for (;;) {
    const end = await runs.get(ref.executionId)?.ended
    if (end?.kind === 'settled' && end.outcome.status === 'suspended') {
      const { at, request } = end.outcome
      return { suspendedAt: toIso(at), reason: request.reason }
    }
    if (end && end.kind !== 'fenced') throw notSuspendable(await findExecution(deps, ref))
    // another machine had taken the execution over before it could know of the request
    if (end && (await commit) === 'fenced')
      return untilSuspended(deps, ref, request, await requestSuspend(deps, ref, request))
    const row = await awaitRemote(deps, ref.executionId)
    if (row) return suspensionOf(row)
    if (runs.stopping) throw shuttingDown()
  }
}

function suspensionOf(row: ExecutionRow): SuspendResult['suspension'] {
  if (row.status !== 'suspended' || row.suspension === null) throw notSuspendable(row)
  const { suspendedAt, reason } = JSON.parse(row.suspension) as StoredSuspension
  return { suspendedAt, reason }
}

function notSuspendable(row: ExecutionRow): AppError {
  const state = endingOf(row) ? 'compensating its steps' : row.status
  return new AppError('not_suspendable', `Execution can't be suspended: ${row.id} is ${state}`)
}
