import { startDeadline } from '../../lib/async/deadline.ts'
import type { Deadline } from '../../lib/async/deadline.ts'
import { AppError } from '../../lib/errors.ts'
import type { Agent } from '../agent.ts'

/** Starts the deadline of an answer: it aborts with the caller's signal or after the agent's `timeoutMs`. */
export function answerDeadline(
  { id, timeoutMs }: Pick<Agent, 'id' | 'timeoutMs'>,
  { signal }: { readonly signal?: AbortSignal | undefined },
): Deadline {
  return startDeadline(timeoutMs, signal ?? new AbortController().signal, () => {
    const hint = 'Increase timeoutMs of the agent, or check why its model or a tool is slow'
    return new AppError('unavailable', `Agent "${id}" did not answer within ${timeoutMs} ms`, { hint })
  })
}
