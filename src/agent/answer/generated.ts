import type { FinishReason, Usage } from '../../contract/agent-event.ts'
import type { PendingCalls } from './waiting/pending-calls.ts'
import type { ToolCall } from './waiting/tool-call.ts'
import type { ModelOrigin } from '../models/model-choice.ts'

/** The result of a tool call: has either `output` or `error`. */
export interface ToolCallResult {
  readonly toolCallId: string
  readonly toolName: string
  readonly output?: unknown
  readonly error?: string
}

/** What became of a call of a sub-agent that waited for approval. */
export interface SettledCall {
  readonly approvalId: string
  readonly isDenied: boolean
  /** The result of an approved call. */
  readonly result?: ToolCallResult | undefined
}

/** One call of the model, with the tool calls it requested. */
export interface GeneratedStep {
  readonly text: string
  readonly reasoning?: string
  readonly finishReason: FinishReason
  /** The usage of this model call only. */
  readonly usage: Usage
  readonly toolCalls: readonly ToolCall[]
  readonly toolResults: readonly ToolCallResult[]
}

/** An agent's answer. */
export interface Generated {
  readonly text: string
  /** The reasoning text, if the model returns it. */
  readonly reasoning: string | undefined
  /** The value requested with `schema`, as transformed by the schema; `undefined` without a schema. */
  readonly object: unknown
  /** The usage of all model calls, including those of sub-agents. */
  readonly usage: Usage
  readonly finishReason: FinishReason
  /** Why a guardrail blocked the request or the answer, when `finishReason` is `guardrail`. */
  readonly reason?: string
  readonly model: { readonly provider: string; readonly modelId: string; readonly origin: ModelOrigin }
  readonly steps: readonly GeneratedStep[]
  /** What the answer waits for; `undefined` when it is complete. */
  readonly pending?: PendingCalls | undefined
  /** The calls of sub-agents that waited before the answer went on. */
  readonly settled?: readonly SettledCall[] | undefined
  /** The answer with its tool calls and results, as messages (`ModelMessage` of the AI SDK) for a later call. */
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}
