import type { Run } from '../run/run.ts'
import type { CommandDeps } from './live-runs.ts'
import { startHolding } from './execute.ts'

/**
 * Continues an execution that an earlier owner left `running`, from its last committed step. `undefined` when
 * its workflow does not exist or the server stops.
 */
export async function recoverExecution(
  deps: CommandDeps,
  id: string,
  change: { readonly suspendRequest?: string } = {},
): Promise<Run | undefined> {
  const { runs, store } = deps
  if (runs.stopping) return runs.get(id)
  return startHolding(deps.hold(), async (hold) => {
    const history = await store.executions.history(id)
    // a parent that was recovered in the meantime may have recovered it
    if (history?.row.status !== 'running' || runs.get(id)) return undefined
    const workflow = hold.registry.find(history.row.workflowId)
    if (!workflow) return undefined
    const row = { ...history.row, ...change }
    return runs.continue(runs.acquire({ ...history, row }), { workflow, hold })
  }).then((run) => run ?? runs.get(id))
}
