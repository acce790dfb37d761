import { type Deadline, startDeadline } from '../../lib/async/deadline.ts'
import { AppError } from '../../lib/errors.ts'
import type { Agent } from '../agent.ts'
import type { GenerateOptions } from './prepare-call.ts'

/** Ends an answer with the caller's signal, or when the agent's time is up. */
export function answerDeadline({ id, timeoutMs }: Agent, { signal }: GenerateOptions): Deadline {
  return startDeadline(timeoutMs, signal ?? new AbortController().signal, () => {
    const hint = 'Give the agent a longer timeoutMs, or look at why its model or a tool takes so long'
    return new AppError('unavailable', `Agent "${id}" gave no answer within ${timeoutMs} ms`, { hint })
  })
}
