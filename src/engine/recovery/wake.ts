import type { StepRow } from '../../store/execution-store.ts'
import { resumedRow } from '../record/step-rows.ts'
import type { Run } from '../run/run.ts'
import { NOTHING, readAndContinue } from '../executions/continue-suspended.ts'
import type { CommandDeps } from '../executions/live-runs.ts'
import { waitingParents } from '../executions/parent-child.ts'

/** `nothing`: it is not suspended. `not yet`: none of its suspended steps is due. */
type Woken = readonly Run[] | 'nothing' | 'not yet' | 'no workflow'

/** Continues a suspended execution with the steps whose time has come, and the parents that wait for it. */
export async function wakeSuspended(deps: CommandDeps, id: string): Promise<Woken> {
  let reason: Exclude<Woken, readonly Run[]> = 'nothing'
  const runs = await readAndContinue(deps, async ({ registry }) => {
    const history = await deps.store.executions.history(id)
    if (history?.row.status !== 'suspended') return NOTHING
    const waiting = history.steps.filter(({ status, wakeAt }) => status === 'suspended' && wakeAt !== null)
    const due = waiting.filter(({ wakeAt }) => Number(wakeAt) <= deps.clock.now())
    const workflow = registry.find(history.row.workflowId)
    const [first] = due
    if (!first || !workflow) {
      if (waiting.length > 0) reason = workflow ? 'not yet' : 'no workflow'
      return NOTHING
    }
    const execution = { history, workflow, stepId: first.stepId, steps: due.map((step) => wokenRow(step)) }
    const parents = await waitingParents(deps, history.row, registry)
    return { executions: [execution, ...parents], resumption: { resumeData: null } }
  })
  return runs.length > 0 ? runs : reason
}

function wokenRow(step: StepRow): StepRow {
  return resumedRow(step, null, true)
}
