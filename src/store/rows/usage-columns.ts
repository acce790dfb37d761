import type { Usage } from '../../contract/agent-event.ts'
import { fromNanoDollars } from '../../contract/usage/cost.ts'

/** Columns of `execution_usage`, with the names of the row's properties. */
export const USAGE_COLUMNS = [
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['total_tokens', 'totalTokens'],
  ['cached_input_tokens', 'cachedInputTokens'],
  ['reasoning_tokens', 'reasoningTokens'],
  ['cost_nano', 'costNano'],
] as const

export interface UsageRow extends Omit<Usage, 'costUsd'> {
  /** Id of the execution. */
  readonly id: string
  readonly costNano: number | null
}

export function usageOfRow({ id: _, costNano, ...tokens }: UsageRow): Usage {
  return { ...tokens, costUsd: costNano === null ? null : fromNanoDollars(costNano) }
}
