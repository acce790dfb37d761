import type { LanguageModelUsage } from 'ai'
import { sumCosts } from '../../contract/usage/cost.ts'
import type { Usage } from '../../contract/agent-event.ts'
import { callCost } from '../prices/call-cost.ts'
import { costIn } from '../prices/cost-metadata.ts'
import type { ProviderMetadata } from '../prices/cost-metadata.ts'
import type { ListPrice } from '../prices/list-prices.ts'

const NONE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
}

/** The usage of a call that ended before the provider reported it. */
/** Of what called no model. */
export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costUsd: null,
}

export const UNKNOWN_USAGE: Usage = {
  inputTokens: null,
  outputTokens: null,
  totalTokens: null,
  cachedInputTokens: null,
  reasoningTokens: null,
  costUsd: null,
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
  const [input, output] = [tokenCount(inputTokens), tokenCount(outputTokens)]
  const cachedInput = rest.cachedInputTokens ?? tokenCount(inputTokens, 'cacheRead')
  return {
    ...countsOf({
      input,
      output,
      total: rest.totalTokens,
      cachedInput,
      reasoning: rest.reasoningTokens ?? tokenCount(outputTokens, 'reasoning'),
    }),
    costUsd: callCost(price, {
      input,
      output,
      cachedInput: cachedInput ?? 0,
      cacheWrite: tokenCount(inputTokens, 'cacheWrite') ?? 0,
    }),
  }
}

interface ReportedCounts {
  readonly input: number | undefined
  readonly output: number | undefined
  readonly total: number | undefined
  readonly cachedInput: number | undefined
  readonly reasoning: number | undefined
}

/** Many providers report cached and reasoning tokens only when there are some. */
function countsOf({ input, output, total, cachedInput, reasoning }: ReportedCounts): Omit<Usage, 'costUsd'> {
  return {
    inputTokens: input ?? null,
    outputTokens: output ?? null,
    totalTokens: total ?? (input === undefined || output === undefined ? null : input + output),
    cachedInputTokens: cachedInput ?? (input === undefined ? null : 0),
    reasoningTokens: reasoning ?? (output === undefined ? null : 0),
  }
}

/** Converts the usage of a model call that the AI SDK reports. */
export function fromSdkUsage({ usage, providerMetadata }: SdkStep): Usage {
  return {
    ...countsOf({
      input: usage.inputTokens,
      output: usage.outputTokens,
      total: usage.totalTokens,
      cachedInput: usage.inputTokenDetails.cacheReadTokens,
      reasoning: usage.outputTokenDetails.reasoningTokens,
    }),
    costUsd: costIn(providerMetadata),
  }
}

/** The sum of the usage of several calls. Each count is `null` when that of one of them is unknown. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const tokens = usages.reduce(
    (sum, usage) => ({
      inputTokens: sumOf(sum.inputTokens, usage.inputTokens),
      outputTokens: sumOf(sum.outputTokens, usage.outputTokens),
      totalTokens: sumOf(sum.totalTokens, usage.totalTokens),
      cachedInputTokens: sumOf(sum.cachedInputTokens, usage.cachedInputTokens),
      reasoningTokens: sumOf(sum.reasoningTokens, usage.reasoningTokens),
      costUsd: null,
    }),
    NONE,
  )
  return { ...tokens, costUsd: sumCosts(usages.map(({ costUsd }) => costUsd)) }
}

function sumOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other
}
