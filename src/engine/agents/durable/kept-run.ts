import { callsTools, recalledAnswer, usageOfAnswer } from '../../../agent/answer/journal/recorded-answer.ts'
import type { RecordedCalls } from '../../../agent/answer/journal/recorded-calls.ts'
import { sumUsage } from '../../../agent/answer/usage.ts'
import type { StoredContinuation } from '../continuation.ts'

/**
 * The continuation of a run that goes on later, because a tool waits or its step is tried again: it goes on behind its last
 * recorded tool call. An answer without tool calls is the one that the step could not use, and is requested again.
 */
export function keptContinuation(continuation: StoredContinuation, calls: RecordedCalls): StoredContinuation {
  const { waiting } = continuation
  const earlier = waiting?.steps.length ?? 0
  let last = earlier
  while (calls.answer(last + 1) !== undefined) last++
  if (last === earlier) return { ...continuation, counted: 0 }
  const answer = recalledAnswer(calls.answer(last))
  if (callsTools(answer)) return { ...continuation, counted: last - earlier }
  calls.forgetAnswer(last)
  const used = usageOfAnswer(answer)
  return {
    ...continuation,
    // it was paid for
    ...(waiting && { waiting: used ? { ...waiting, usage: sumUsage([waiting.usage, used]) } : waiting }),
    counted: last - earlier - 1,
  }
}
