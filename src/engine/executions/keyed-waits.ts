import { ANSWER_STEP } from '../../contract/step-path.ts'
import type { StepWait } from '../../contract/step-wait.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { Store } from '../../store/store.ts'
import { openWaits, suspensionIn } from '../record/to-api.ts'
import type { Registry } from '../registry.ts'

/** What a suspended execution waits for. */
export interface KeyedWait extends Pick<StepWait, 'stepId' | 'reason' | 'data' | 'resumeSchema'> {
  /** Differs from that of every other wait of the execution, also of later ones of the same step. */
  readonly key: string
  /** Names it in a resume; `undefined` when no step waits, but the execution between two. */
  readonly path?: string
  /** How often its step has been resumed; a resume for this number is for no later wait. */
  readonly resumes?: number
}

interface KeyedWaitsDeps {
  readonly store: Pick<Store, 'executions'>
  readonly registry: () => Registry
}

/** What a suspended execution, or that of an answer, waits for; nothing when it waits for changed code. */
export async function keyedWaits(
  { store, registry }: KeyedWaitsDeps,
  row: ExecutionRow,
): Promise<readonly KeyedWait[]> {
  if (row.suspension === null) return []
  const { stepId, reason, data, suspendedAt, misfits } = suspensionIn(row)
  if (misfits) return []
  const steps = await store.executions.steps(row.id)
  const isAnswer = row.kind === 'answer'
  const workflow = isAnswer ? undefined : registry().find(row.workflowId)
  const isCall = (path: string) =>
    isAnswer ? path !== ANSWER_STEP : Boolean(workflow?.hasCallsAt(path) && !workflow.placeAt(path))
  const waits = openWaits(row, steps, isCall).filter(({ path }) => !isAnswer || isCall(path))
  if (waits.length === 0) return isAnswer ? [] : [{ key: `@${suspendedAt}`, stepId, reason, data }]
  const byPath = new Map(steps.map((step) => [step.path, step]))
  return waits.map((wait) => {
    const { path } = wait
    const { resumes = 0, attempts = 0, childId = null } = byPath.get(path) ?? {}
    // neither a step at a breakpoint nor one that waits for its child counts as resumed
    const isCounted = attempts > 0 && childId === null
    return isCounted
      ? { ...wait, key: `${path}@${resumes}`, resumes }
      : { ...wait, key: `${path}@${suspendedAt}` }
  })
}
