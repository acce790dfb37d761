import { stepPattern } from '../../contract/step-path.ts'
import { WAIT_TYPES } from '../../contract/status.ts'
import { durationBucket } from '../../lib/telemetry/duration-buckets.ts'
import type { ExecutionRow, StepRow } from '../../store/execution-store.ts'
import { UNTIMED } from '../../store/usage-store.ts'
import type { StepTime } from '../../store/usage-store.ts'
import type { StepPlace } from '../../contract/usage/step-place.ts'

interface Timed {
  readonly row: Pick<ExecutionRow, 'workflowId'>
  /** The steps before the change. */
  readonly steps: ReadonlyMap<string, StepRow>
  readonly startedHereAt: number
}

/** The steps of an execution that have ended, and are counted with its next commit. */
export class EndedSteps {
  #staged: StepTime[] = []

  /** Adds a step that ends, unless it is skipped or cancelled, or a call of an answer. */
  stage(
    { path, type, status, startedAt, endedAt, isAnswerCall }: StepRow,
    { row, steps, startedHereAt }: Timed,
  ): void {
    if (endedAt === null || endedAt === steps.get(path)?.endedAt) return
    if ((status !== 'completed' && status !== 'error') || isAnswerCall) return
    // one that an earlier run of the execution has started has waited, for somebody or for a process
    const isTimed = startedAt >= startedHereAt && !WAIT_TYPES.has(type)
    const bucket = isTimed ? durationBucket(endedAt - startedAt) : UNTIMED
    const { workflowId } = row
    this.#staged.push({ workflowId, step: stepPattern(path), endedAt, bucket, failed: status === 'error' })
  }

  drain(): readonly StepTime[] {
    const staged = this.#staged
    if (staged.length > 0) this.#staged = []
    return staged
  }
}

/** The step of an execution that calls models. */
export function stepPlaceOf(
  { id, workflowId }: Pick<ExecutionRow, 'id' | 'workflowId'>,
  path: string,
): StepPlace {
  return { executionId: id, workflowId, step: stepPattern(path) }
}
