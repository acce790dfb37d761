import type { User } from '../../contract/auth.ts'
import { isFinal } from '../../contract/is-final.ts'
import type { StepRow } from '../../store/execution-store.ts'
import type { NumberedEvent } from '../../store/event-store.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { NOTHING, readAndContinue } from '../executions/continue-suspended.ts'
import type { CommandDeps } from '../executions/live-runs.ts'
import { waitingParents } from '../executions/parent-child.ts'
import { awaitsEvent, resumedRow } from '../record/step-rows.ts'
import { findEvent } from './find-event.ts'
import { senderOf } from './senders.ts'

/**
 * What an execution did with the events that it waits for. `running`: its run looks for them. `no workflow`: it can't
 * continue here.
 */
export interface Taken {
  readonly state: 'continued' | 'unchanged' | 'running' | 'no workflow'
  /** Ids of the events that its steps have got, now and before. */
  readonly ids: readonly string[]
}

/** Continues a suspended execution with the events that have come, and the parents that wait for it. */
export async function takeEvents(deps: CommandDeps, id: string, cause?: TraceScope): Promise<Taken> {
  let taken: Taken = { state: 'unchanged', ids: [] }
  const runs = await readAndContinue(deps, async ({ registry }) => {
    taken = { state: 'unchanged', ids: [] }
    const history = await deps.store.executions.history(id)
    if (!history) return NOTHING
    const ids = history.steps.flatMap(({ eventId }) => eventId ?? [])
    taken = { state: 'unchanged', ids }
    if (isFinal(history.row.status)) return NOTHING
    const waiting = history.steps.filter((step) => awaitsEvent(step))
    if (waiting.length === 0) return NOTHING
    if (history.row.status === 'running') {
      taken = { state: 'running', ids }
      return NOTHING
    }
    const workflow = registry.find(history.row.workflowId)
    if (!workflow) {
      taken = { state: 'no workflow', ids }
      return NOTHING
    }
    const steps: StepRow[] = []
    let first: NumberedEvent | undefined
    for (const step of waiting) {
      // one that was interrupted by a request to suspend looks when the execution is resumed
      if (step.status !== 'suspended' || !(workflow.placeAt(step.path) || workflow.hasCallsAt(step.path)))
        continue
      const found = await findEvent(deps, { execution: history.row, workflow, taken: ids }, step)
      if (!found) continue
      first ??= found.event
      ids.push(found.id)
      steps.push({ ...resumedRow(step, found.data), eventId: found.id })
    }
    const [step] = steps
    if (!step) return NOTHING
    const execution = { history, workflow, stepId: step.stepId, steps }
    const parents = await waitingParents(deps, history.row, registry)
    const user = userOf(first)
    const by = { user, as: user && ('user' as const), over: 'event' as const }
    const resumption = { resumeData: step.resumeData, cause, ...by }
    return { executions: [execution, ...parents], resumption }
  })
  return runs.length > 0 ? { ...taken, state: 'continued' } : taken
}

function userOf(event: NumberedEvent | undefined): User | undefined {
  return event && senderOf(event)?.user
}
