import { AppError } from '../../lib/errors.ts'
import type { ExecutionsDeps } from '../executions/deps.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import type { QueuePlace } from './queue-rules.ts'

/** When a caller who was refused should try again, in seconds. */
const RETRY_AFTER_S = 10

/**
 * What a new execution takes a place of; `undefined` for a workflow without limits. `input` is JSON text.
 *
 * @throws AppError `too_many_requests` when too many executions wait; `execution_failed` when a key is no string.
 */
export async function requirePlace(
  { store, maxQueued }: Pick<ExecutionsDeps, 'store' | 'maxQueued'>,
  { queue, definition }: RegisteredWorkflow,
  input: string,
): Promise<QueuePlace | undefined> {
  if (!queue) return undefined
  const place = queue.placeOf(input)
  if ((await store.queue.count(maxQueued)) < maxQueued) return place
  throw new AppError(
    'too_many_requests',
    `${maxQueued} executions wait for a place already; workflow "${definition.id}" takes no more`,
    {
      hint: 'Try again later, or raise limits.queued of the configuration',
      headers: { 'Retry-After': String(RETRY_AFTER_S) },
    },
  )
}
