import type { LanguageModelUsage } from 'ai'
import type { Usage } from './generated.ts'

const NONE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
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
