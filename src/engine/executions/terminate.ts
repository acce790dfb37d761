import { isFinal } from '../../contract/is-final.ts'
import { AppError } from '../../lib/errors.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { isStored } from '../record/commit.ts'
import { compensable, compensationStart, endingOf } from '../record/compensation.ts'
import { outcomeChange } from '../record/outcome-change.ts'
import type { EndOptions, EndingOutcome } from '../run/outcome.ts'
import { resumeParents } from './parent-child.ts'
import type { CommandDeps } from './live-runs.ts'
import { recoverExecution } from './recover.ts'

/** How often a change by another call is waited for. */
const ATTEMPTS = 5

interface Ending extends EndOptions {
  /** How it ends, at a time. */
  readonly endingAt: (at: number) => EndingOutcome
  /** Why its children are cancelled, and by which user. */
  readonly reason: string
  readonly by?: string | undefined
}

/**
 * Ends an execution from outside, on whatever machine it runs, and cancels its children. `compensating`: it ends after its
 * compensations. `undefined` when it has ended or does not exist.
 *
 * @throws AppError `conflict` when other calls keep changing it
 */
export async function terminateExecution(
  deps: CommandDeps,
  id: string,
  request: Ending,
): Promise<EndingOutcome | 'compensating' | undefined> {
  const { runs, store, clock } = deps
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // a run that is not stored yet is stored first, so that its record can say how it has ended
    const started = (await runs.whenStarted(id))?.started()
    await started?.catch(() => false)
    const row = await store.executions.get(id)
    if (!row || isFinal(row.status)) return undefined
    const run = row.status === 'running' ? runs.get(id) : undefined
    const ending = request.endingAt(clock.now())
    const outcome = await (run ? run.end(ending, request) : endStored(deps, row, { ...request, ending }))
    if (outcome === 'compensating') return outcome
    if (outcome) {
      const { reason, by, force, eventId } = request
      const children = await store.executions.openChildren(id)
      const endingAt = (at: number) => ({ status: 'cancelled', at, reason, by }) as const
      for (const child of children)
        await terminateExecution(deps, child, { endingAt, reason, by, force, eventId })
      return outcome
    }
    // another call changed it since it was read
    await runs.get(id)?.ended
  }
  throw new AppError('conflict', `Execution is being changed by other requests; try again: ${id}`)
}

/**
 * Ends an execution that does not run in this process; another machine that runs it stops. `undefined` when its status has
 * changed in the meantime.
 */
async function endStored(
  deps: CommandDeps,
  row: ExecutionRow,
  { force = false, eventId, ending }: EndOptions & { readonly ending: EndingOutcome },
): Promise<EndingOutcome | 'compensating' | undefined> {
  const { runs, store, registry } = deps
  const isCompensating = endingOf(row) !== undefined
  if (isCompensating && !force) {
    // it continues here if the machine that compensated it has died
    await recoverExecution(deps, row.id)
    return 'compensating'
  }
  const steps = await store.executions.steps(row.id)
  const hasToCompensate = isCompensating || compensable(steps).length > 0
  const record = runs.amend(row, steps)
  if (eventId !== undefined) record.take(eventId)
  if (hasToCompensate && !force && registry().find(row.workflowId)) {
    record.close(compensationStart(ending))
    if (!isStored(await record.commit())) return undefined
    await recoverExecution(deps, row.id, { from: store.ownerEpoch })
    return 'compensating'
  }
  // without its code there is nothing that could compensate it
  const outcome: EndingOutcome = { ...ending, ...(hasToCompensate && { compensation: 'failed' }) }
  record.close(outcomeChange(outcome, row))
  if (!isStored(await record.commit())) return undefined
  if (outcome.status === 'error') {
    // as its run would
    const { id: executionId, workflowId, traceId } = row
    deps.logger.error({ executionId, workflowId, traceId, err: outcome.error }, 'Execution failed')
  }
  await resumeParents(deps, row)
  return outcome
}
