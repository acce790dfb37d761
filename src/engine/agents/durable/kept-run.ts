import {
  modelKey,
  type RecordedAnswer,
  recalledAnswer,
  usageOfAnswer,
} from '../../../agent/answer/journal/recorded-answer.ts'
import { sumUsage } from '../../../agent/answer/usage.ts'
import type { StoredContinuation } from '../continuation.ts'

/**
 * The continuation of a run that goes on later, because a tool waits or its step is tried again: it goes on behind its last
 * recorded tool call. An answer without tool calls is the one that the step could not use, and is requested again.
 */
export function keptContinuation(
  continuation: StoredContinuation,
  recorded: ReadonlyMap<string, string>,
): StoredContinuation {
  const last = lastAnswer(recorded)
  if (!last || last.answer.content.some(({ type }) => type === 'tool-call'))
    return { ...continuation, recorded: [...recorded] }
  const { waiting } = continuation
  const used = usageOfAnswer(last.answer)
  return {
    ...continuation,
    // it was paid for
    ...(waiting && { waiting: used ? { ...waiting, usage: sumUsage([waiting.usage, used]) } : waiting }),
    recorded: [...recorded].filter(([key]) => key !== last.key),
  }
}

/** The number of model answers among recorded calls. */
export function countAnswers(recorded: Iterable<readonly [key: string, value: string]>): number {
  const keys = new Set([...recorded].map(([key]) => key))
  let count = 0
  while (keys.has(modelKey(count))) count++
  return count
}

function lastAnswer(
  recorded: ReadonlyMap<string, string>,
): { readonly key: string; readonly answer: RecordedAnswer } | undefined {
  const key = modelKey(countAnswers(recorded) - 1)
  const value = recorded.get(key)
  return value === undefined ? undefined : { key, answer: recalledAnswer(JSON.parse(value)) }
}
