import type { LanguageModelUsage } from 'ai'
import type { Usage } from './generated.ts'

const NONE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
}

/** Token counts: plain numbers in the second version of the specification of models, objects since the third. */
type Count = number | undefined | Readonly<Partial<Record<CountPart, number>>>
type CountPart = 'total' | 'cacheRead' | 'cacheWrite' | 'reasoning'

/** What a model says that one call spent. */
export interface Spent {
  readonly inputTokens?: Count
  readonly outputTokens?: Count
  readonly totalTokens?: number
  readonly cachedInputTokens?: number
  readonly reasoningTokens?: number
}

/** A part of a count, where the model tells it. */
export function countOf(count: Count, part: CountPart = 'total'): number | undefined {
  if (typeof count === 'object') return count[part]
  return part === 'total' ? count : undefined
}

/** A model's own token counts in our words. */
export function usageOf({ inputTokens, outputTokens, ...rest }: Spent): Usage {
  const [input = 0, output = 0] = [countOf(inputTokens), countOf(outputTokens)]
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: rest.totalTokens ?? input + output,
    cachedInputTokens: rest.cachedInputTokens ?? countOf(inputTokens, 'cacheRead') ?? 0,
    reasoningTokens: rest.reasoningTokens ?? countOf(outputTokens, 'reasoning') ?? 0,
  }
}

/** The AI SDK's token counts in our words. */
export function toUsage(usage: LanguageModelUsage): Usage {
  const inputTokens = usage.inputTokens ?? 0
  const outputTokens = usage.outputTokens ?? 0
  return {
    inputTokens,
    outputTokens,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
    cachedInputTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    reasoningTokens: usage.outputTokenDetails.reasoningTokens ?? 0,
  }
}

/** What several calls spent together. */
export function sumUsage(usages: readonly Usage[]): Usage {
  return usages.reduce(
    (sum, usage) => ({
      inputTokens: sum.inputTokens + usage.inputTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
      totalTokens: sum.totalTokens + usage.totalTokens,
      cachedInputTokens: sum.cachedInputTokens + usage.cachedInputTokens,
      reasoningTokens: sum.reasoningTokens + usage.reasoningTokens,
    }),
    NONE,
  )
}
