import { isFinal } from '../../contract/is-final.ts'
import { isHookPath } from '../../contract/step-path.ts'
import type { JobResult } from '../../store/dispatcher.ts'
import type { CommandDeps } from '../executions/live-runs.ts'

/**
 * Runs the hooks of an execution that has ended, unless another process does. The job stays until their last change drops
 * it, so that another process finds it if this one ends.
 */
export async function startHooks(deps: CommandDeps, id: string): Promise<JobResult> {
  const { runs, store } = deps
  if (runs.hooksOf(id)) return 'later'
  const history = await store.executions.history(id)
  if (!history) return 'done'
  const { row, steps } = history
  const { status: outcome } = row
  if (!isFinal(outcome)) return 'done'
  const isRunning = steps.some(({ path, status }) => isHookPath(path) && status === 'running')
  if (isRunning && row.ownerEpoch !== store.ownerEpoch && (await store.dispatcher.isAlive(row.ownerEpoch)))
    return 'later'
  if (!runs.hasRoomForHooks || runs.hooksOf(id)) return 'later'
  const hold = deps.hold()
  const workflow = hold.registry.find(row.workflowId)
  const hooks = workflow?.hooksAfter(outcome) ?? []
  if (!workflow || hooks.length === 0) {
    hold.release()
    return workflow ? 'done' : 'elsewhere'
  }
  runs.runHooks(history, hooks, { workflow, hold })
  return 'later'
}
