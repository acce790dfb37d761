import type { ModelOrigin } from './model-choice.ts'

/** Tokens spent on an answer, sub-agents included. What a provider doesn't tell counts as 0. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  /** The part of `inputTokens` that was read from the provider's cache. */
  readonly cachedInputTokens: number
  /** The part of `outputTokens` that was spent on thinking. */
  readonly reasoningTokens: number
}

/** Why the model stopped. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

/** An agent's answer. */
export interface Generated {
  readonly text: string
  /** The value that was asked for with `schema`, as the schema made it; `undefined` without one. */
  readonly object: unknown
  readonly usage: Usage
  readonly finishReason: FinishReason
  readonly model: { readonly provider: string; readonly modelId: string; readonly origin: ModelOrigin }
}
