import { isStored } from '../record/commit.ts'
import { recoveredRows } from '../record/step-rows.ts'
import { NOBODY } from '../../store/queue-store.ts'
import type { Run } from '../run/run.ts'
import type { GenerationHold } from '../registry.ts'
import type { CommandDeps } from './live-runs.ts'
import { runsRemotely } from './remote-executions.ts'
import { startHolding } from './execute.ts'

/**
 * Continues an execution that an earlier owner left `running`, from its last committed step. `undefined` when
 * its workflow does not exist, it has another owner that is alive, or the server stops.
 */
export async function recoverExecution(
  deps: CommandDeps,
  id: string,
  options: RecoverOptions = {},
): Promise<Run | undefined> {
  const { runs } = deps
  if (runs.stopping) return runs.get(id)
  const run = await runs.recover(id, () =>
    startHolding(deps.hold(), (hold) => start(deps, { ...options, id, hold })),
  )
  return run ?? runs.get(id)
}

interface RecoverOptions {
  /** The owner, which has died and must still be its owner. Default: the current owner, if it is not alive. */
  readonly from?: number
  /** Suspends the execution before its next step. */
  readonly suspendRequest?: string
}

interface Start extends RecoverOptions {
  readonly id: string
  readonly hold: GenerationHold
}

async function start(deps: CommandDeps, options: Start): Promise<Run | undefined> {
  const { id, from, suspendRequest, hold } = options
  const { runs, store } = deps
  const history = await store.executions.history(id)
  // a parent that was recovered in the meantime may have recovered it
  if (history?.row.status !== 'running' || (await runs.whenStarted(id))) return undefined
  const { row } = history
  if (from === undefined ? await runsRemotely(deps, row) : row.ownerEpoch !== from) return undefined
  const workflow = hold.registry.find(row.workflowId)
  if (!workflow) return undefined
  // an execution that this process stopped because the store failed has not crashed
  const isOwn = row.ownerEpoch === store.ownerEpoch || from === NOBODY
  const crash = isOwn ? 'none' : await store.dispatcher.crashOf(row.ownerEpoch)
  const record = runs.acquire({
    ...history,
    row: { ...row, ...(suspendRequest !== undefined && { suspendRequest }) },
  })
  const changed = recoveredRows(history.steps, crash).filter((step, index) => step !== history.steps[index])
  for (const step of changed) record.stage({ step })
  if (from === NOBODY) record.slots.begin(record.now())
  if (!isStored(await record.commit())) return undefined
  return runs.continue(record, { workflow, hold })
}
