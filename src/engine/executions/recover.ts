import { isStored } from '../record/execution-record.ts'
import { crashesOf } from '../record/step-rows.ts'
import type { ExecutionHistory } from '../../store/execution-store.ts'
import { MAX_CRASHES } from '../run/crash-suspects.ts'
import type { Run } from '../run/run.ts'
import type { GenerationHold } from './deps.ts'
import type { CommandDeps } from './live-runs.ts'
import { startHolding } from './execute.ts'

/**
 * Continues an execution that an earlier owner left `running`, from its last committed step. `undefined` when
 * its workflow does not exist, it has another owner by now, or the server stops.
 */
export async function recoverExecution(
  deps: CommandDeps,
  id: string,
  change: RecoveryChange = {},
): Promise<Run | undefined> {
  const { runs } = deps
  if (runs.stopping) return runs.get(id)
  const run = await runs.recover(id, () =>
    startHolding(deps.hold(), (hold) => start(deps, { id, change, hold })),
  )
  return run ?? runs.get(id)
}

interface RecoveryChange {
  readonly suspendRequest?: string
  /** The owner that it must still have. */
  readonly from?: number
}

interface Start {
  readonly id: string
  readonly change: RecoveryChange
  readonly hold: GenerationHold
}

async function start(
  deps: CommandDeps,
  { id, change: { from, ...change }, hold }: Start,
): Promise<Run | undefined> {
  const { runs, store } = deps
  const history = await store.executions.history(id)
  // a parent that was recovered in the meantime may have recovered it
  if (history?.row.status !== 'running' || runs.get(id)) return undefined
  if (from !== undefined && history.row.ownerEpoch !== from) return undefined
  const workflow = hold.registry.find(history.row.workflowId)
  if (!workflow) return undefined
  const steps = history.row.ownerEpoch === store.ownerEpoch ? withoutCrash(history) : history.steps
  const record = runs.acquire({ ...history, steps, row: { ...history.row, ...change } })
  if (!isStored(await record.commit())) return undefined
  // logged before the steps run, as one of them may be what ended the process
  logRecovery(deps, { ...history, steps })
  return runs.continue(record, { workflow, hold })
}

/** The steps of an execution that this process stopped because the store failed. */
function withoutCrash({ steps }: ExecutionHistory) {
  return steps.map((step) => ({ ...step, exempt: true }))
}

function logRecovery({ logger }: CommandDeps, { row, steps }: ExecutionHistory): void {
  const { id: executionId, workflowId } = row
  // not the steps that enclose others or wait for a child
  const crashed = steps.filter(
    (step) =>
      crashesOf(step) > 0 &&
      step.childId === null &&
      !steps.some(({ path }) => path.startsWith(`${step.path}/`)),
  )
  const running = crashed.map((step) => `"${step.path}" (crash ${crashesOf(step)} of ${MAX_CRASHES})`)
  const text = `Recovering execution ${executionId} of workflow "${workflowId}"`
  if (running.length === 0) logger.info({ executionId, workflowId }, text)
  else logger.warn({ executionId, workflowId }, `${text}, which was running ${running.join(', ')}`)
}
