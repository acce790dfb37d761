import type { FinishReason, Usage } from '../../contract/agent-event.ts'
import type { PendingCalls } from './waiting/pending-calls.ts'
import type { ToolCall } from './waiting/tool-call.ts'
import type { ModelOrigin } from '../models/model-choice.ts'

/** The result of a tool call: has either `output` or `error`. */
export interface ToolCallResult {
  /** Id of the call. */
  readonly toolCallId: string
  /** Name of the tool. */
  readonly toolName: string
  /** Result of the tool. */
  readonly output?: unknown
  /** Message of the error, when the tool failed. */
  readonly error?: string
}

/** What became of a call of a sub-agent that waited for approval. */
export interface SettledCall {
  /** Id of the approval. */
  readonly approvalId: string
  /** Whether it was denied. */
  readonly isDenied: boolean
  /** The result of an approved call. */
  readonly result?: ToolCallResult | undefined
}

/** One call of the model, with the tool calls it requested. */
export interface GeneratedStep {
  /** Text of the step. */
  readonly text: string
  /** Reasoning of the model. */
  readonly reasoning?: string
  /** Why the model stopped. */
  readonly finishReason: FinishReason
  /** The usage of this model call only. */
  readonly usage: Usage
  /** Tool calls of the step. */
  readonly toolCalls: readonly ToolCall[]
  /** Results of the tool calls. */
  readonly toolResults: readonly ToolCallResult[]
}

/** An agent's answer. */
export interface Generated {
  /** Text of the answer. */
  readonly text: string
  /** The reasoning text, if the model returns it. */
  readonly reasoning: string | undefined
  /** The value requested with `schema`, as transformed by the schema; `undefined` without a schema. */
  readonly object: unknown
  /** The usage of all model calls, including those of sub-agents. */
  readonly usage: Usage
  /** Why the model stopped. */
  readonly finishReason: FinishReason
  /** Why a guardrail blocked the request or the answer, when `finishReason` is `guardrail`. */
  readonly reason?: string
  /** Model that answered. */
  readonly model: {
    /** Provider of the model. */
    readonly provider: string
    /** Id of the model at its provider. */
    readonly modelId: string
    /** Where the model was chosen. */
    readonly origin: ModelOrigin
  }
  /** Model calls of the run, in order. */
  readonly steps: readonly GeneratedStep[]
  /** What the answer waits for; `undefined` when it is complete. */
  readonly pending?: PendingCalls | undefined
  /** The calls of sub-agents that waited before the answer continued. */
  readonly settled?: readonly SettledCall[] | undefined
  /** The answer with its tool calls and results, as messages (`ModelMessage` of the AI SDK) for a later call. */
  readonly messages: readonly {
    /** Role of the message. */
    readonly role: string
    /** Content of the message. */
    readonly content: unknown
  }[]
}
