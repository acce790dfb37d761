import type { ExecutionRow } from '../../store/execution-store.ts'
import { NOBODY } from '../../store/queue-store.ts'
import type { QueueStore, QueuePosition } from '../../store/queue-store.ts'

/** What executions wait for, by id; of most there is nothing to ask. */
export async function waitingAmong(
  queue: QueueStore,
  rows: readonly Pick<ExecutionRow, 'id' | 'status' | 'ownerEpoch'>[],
): Promise<ReadonlyMap<string, QueuePosition>> {
  const ids = rows.filter(({ status, ownerEpoch }) => status === 'running' && ownerEpoch === NOBODY)
  return ids.length === 0 ? new Map() : queue.waiting(ids.map(({ id }) => id))
}
