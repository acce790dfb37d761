import type { ScheduledJob } from '../../store/dispatcher.ts'
import type { StepRow } from '../../store/execution-store.ts'

/** Long after the process has cancelled it itself. */
const CANCEL_CHILD_MS = 5000

/**
 * The stored job that cancels the child of a step which is cancelled `at` a time, if this process dies before it has;
 * `undefined` when the step is not open, or has no child.
 */
export function cancelChildJob(
  { status, childId }: Pick<StepRow, 'status' | 'childId'>,
  at: number,
): ScheduledJob | undefined {
  if (childId === null || (status !== 'running' && status !== 'suspended')) return undefined
  return {
    key: `cancel-child:${childId}`,
    at: at + CANCEL_CHILD_MS,
    job: { kind: 'cancel-child', id: childId },
  }
}
