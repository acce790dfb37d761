import type { LanguageModelUsage } from 'ai'
import { sumCosts } from '../../contract/usage/cost.ts'
import type { Usage } from '../../contract/agent-event.ts'
import { callCost } from '../prices/call-cost.ts'
import { costIn, type ProviderMetadata } from '../prices/cost-metadata.ts'
import type { ListPrice } from '../prices/list-prices.ts'

const NONE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
}

/** A token count: a number in version 2 of the model specification, an object since version 3. */
type Count = number | undefined | Readonly<Partial<Record<CountPart, number>>>
type CountPart = 'total' | 'cacheRead' | 'cacheWrite' | 'reasoning'

/** The usage that a model reports for one call. */
export interface ModelUsage {
  readonly inputTokens?: Count
  readonly outputTokens?: Count
  readonly totalTokens?: number
  readonly cachedInputTokens?: number
  readonly reasoningTokens?: number
}

/** A model call, as the AI SDK describes it. */
interface SdkStep {
  readonly usage: LanguageModelUsage
  readonly providerMetadata: ProviderMetadata | undefined
}

/** One part of a token count; `undefined` when the model does not report it. */
export function tokenCount(count: Count, part: CountPart = 'total'): number | undefined {
  if (typeof count === 'object') return count[part]
  return part === 'total' ? count : undefined
}

/** Converts the usage that a model reports for a call at a price. */
export function fromModelUsage(usage: ModelUsage, price: ListPrice | undefined): Usage {
  const { inputTokens, outputTokens, ...rest } = usage
  const [input = 0, output = 0] = [tokenCount(inputTokens), tokenCount(outputTokens)]
  const cachedInput = rest.cachedInputTokens ?? tokenCount(inputTokens, 'cacheRead') ?? 0
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: rest.totalTokens ?? input + output,
    cachedInputTokens: cachedInput,
    reasoningTokens: rest.reasoningTokens ?? tokenCount(outputTokens, 'reasoning') ?? 0,
    costUsd: callCost(price, {
      input: tokenCount(inputTokens),
      output: tokenCount(outputTokens),
      cachedInput,
      cacheWrite: tokenCount(inputTokens, 'cacheWrite') ?? 0,
    }),
  }
}

/** Converts the usage of a model call that the AI SDK reports. */
export function fromSdkUsage({ usage, providerMetadata }: SdkStep): Usage {
  const inputTokens = usage.inputTokens ?? 0
  const outputTokens = usage.outputTokens ?? 0
  return {
    inputTokens,
    outputTokens,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
    cachedInputTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    reasoningTokens: usage.outputTokenDetails.reasoningTokens ?? 0,
    costUsd: costIn(providerMetadata),
  }
}

/** The sum of the usage of several calls. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const tokens = usages.reduce(
    (sum, usage) => ({
      inputTokens: sum.inputTokens + usage.inputTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
      totalTokens: sum.totalTokens + usage.totalTokens,
      cachedInputTokens: sum.cachedInputTokens + usage.cachedInputTokens,
      reasoningTokens: sum.reasoningTokens + usage.reasoningTokens,
      costUsd: null,
    }),
    NONE,
  )
  return { ...tokens, costUsd: sumCosts(usages.map(({ costUsd }) => costUsd)) }
}
