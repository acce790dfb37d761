import type { ModelMessage } from 'ai'
import type { ModelOrigin } from '../models/model-choice.ts'

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

export interface ToolCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** Has either `output` or `error`. */
export interface ToolResult {
  readonly toolCallId: string
  readonly toolName: string
  readonly output?: unknown
  readonly error?: string
}

/** One call of the model and the tools it asked for. */
export interface GeneratedStep {
  readonly text: string
  readonly reasoning?: string
  readonly finishReason: FinishReason
  /** Of this call alone. */
  readonly usage: Usage
  readonly toolCalls: readonly ToolCall[]
  readonly toolResults: readonly ToolResult[]
}

/** An agent's answer. */
export interface Generated {
  readonly text: string
  /** What the model thought aloud, where it tells. */
  readonly reasoning: string | undefined
  /** The value that was asked for with `schema`, as the schema made it; `undefined` without one. */
  readonly object: unknown
  readonly usage: Usage
  readonly finishReason: FinishReason
  readonly model: { readonly provider: string; readonly modelId: string; readonly origin: ModelOrigin }
  readonly steps: readonly GeneratedStep[]
  /** The answer with its tool calls and results, as a later call takes them. */
  readonly messages: readonly ModelMessage[]
}
