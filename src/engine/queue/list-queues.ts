import { MAX_QUEUED_SHOWN } from '../../contract/endpoints/waiting.ts'
import type { WorkflowQueue } from '../../contract/endpoints/waiting.ts'
import { toIso } from '../../lib/clock.ts'
import type { QueueStore } from '../../store/queue-store.ts'
import { shownKey } from './queue-rules.ts'

/** The queues of workflows with limits, with the executions that wait next. */
export async function listQueues(queue: QueueStore): Promise<WorkflowQueue[]> {
  const states = await queue.list(MAX_QUEUED_SHOWN)
  const positions = await queue.waiting(states.flatMap(({ first }) => first.map(({ id }) => id)))
  return states.map(({ workflowId, concurrency, rate, running, waiting, first }) => ({
    workflowId,
    concurrency,
    rateLimit: rate,
    running,
    waiting,
    queued: first.flatMap(({ id, concurrencyKey, rateKey }) => {
      const slot = positions.get(id)
      // it began meanwhile
      if (!slot) return []
      const { reason, since, position } = slot
      const key = shownKey(reason === 'concurrency' ? concurrencyKey : rateKey)
      return { executionId: id, key, reason, since: toIso(since), position }
    }),
  }))
}
