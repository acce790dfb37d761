import { MAX_QUEUED_SHOWN } from '../../contract/endpoints/waiting/waiting.ts'
import type { WorkflowQueue } from '../../contract/endpoints/waiting/waiting.ts'
import { toIso } from '../../lib/clock.ts'
import { STARTED } from '../../store/queue-store.ts'
import type { QueueStore } from '../../store/queue-store.ts'

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
      const place = positions.get(id)
      // it began meanwhile
      if (!place) return []
      const { reason, since, position } = place
      const key = reason === 'concurrency' ? concurrencyKey : rateKey
      const hasKey = key !== '' && key !== STARTED
      return { executionId: id, key: hasKey ? key : null, reason, since: toIso(since), position }
    }),
  }))
}
