import type { Logger } from 'pino'
import { isFinal } from '../../contract/is-final.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { cancelWithChildren } from '../executions/cancel.ts'
import type { CommandDeps } from '../executions/live-runs.ts'
import { endingOf } from '../record/compensation.ts'
import { recoverExecution } from '../executions/recover.ts'

/** `no workflow`: the configuration no longer has it. `not now`: another process was first, or the server stops. */
export type TakeOverResult = 'recovered' | 'no workflow' | 'not now'

/**
 * Continues an execution that is `running` in the store but runs nowhere, or cancels one whose parent has ended.
 * Resolves when the change is stored, or the run waits for the database.
 */
export async function takeOver(deps: CommandDeps, row: ExecutionRow): Promise<TakeOverResult> {
  const { id, workflowId, ownerEpoch } = row
  if (!endingOf(row) && (await isOrphan(deps, row))) {
    await cancelWithChildren(deps, id, { reason: 'The parent execution has ended' })
    return 'recovered'
  }
  const run = await recoverExecution(deps, id, { from: ownerEpoch })
  if (!run) return deps.registry().find(workflowId) ? 'not now' : 'no workflow'
  await run.started()
  return 'recovered'
}

export function logTakeOvers(
  logger: Logger,
  { recovered, 'no workflow': waiting }: Readonly<Record<TakeOverResult, number>>,
): void {
  if (recovered > 0) logger.info(`Recovered ${recovered} execution(s)`)
  if (waiting > 0)
    logger.warn(`${waiting} execution(s) can't be recovered: the configuration no longer has their workflow`)
}

/** Whether its parent has ended, and the process died before it could cancel its children. */
async function isOrphan(deps: CommandDeps, { parentId }: ExecutionRow): Promise<boolean> {
  const parent = parentId === null ? undefined : await deps.store.executions.get(parentId)
  return parent !== undefined && isFinal(parent.status)
}
