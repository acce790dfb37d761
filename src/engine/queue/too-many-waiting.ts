import { AppError } from '../../lib/errors.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { NOBODY } from '../../store/queue-store.ts'
import type { QueueStore, QueuePosition } from '../../store/queue-store.ts'

/** When a caller who was refused should try again, in seconds. */
const RETRY_AFTER_S = 10

export function tooManyWaiting(workflowId: string): AppError {
  return new AppError(
    'too_many_requests',
    `Workflow "${workflowId}" has no free slot, and as many executions wait as limits.queued allows`,
    {
      hint: 'Try again later, or raise limits.queued of the configuration',
      headers: { 'Retry-After': String(RETRY_AFTER_S) },
    },
  )
}

/** What executions wait for, by id; of most there is nothing to ask. */
export async function waitingAmong(
  queue: QueueStore,
  rows: readonly Pick<ExecutionRow, 'id' | 'status' | 'ownerEpoch'>[],
): Promise<ReadonlyMap<string, QueuePosition>> {
  const ids = rows.filter(({ status, ownerEpoch }) => status === 'running' && ownerEpoch === NOBODY)
  return ids.length === 0 ? new Map() : queue.waiting(ids.map(({ id }) => id))
}
