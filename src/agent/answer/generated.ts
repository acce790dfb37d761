import type { FinishReason, Usage } from '../../contract/agent-event.ts'
import { SuspendedAnswer } from './waiting/pending-calls.ts'
import type { PendingCalls } from './waiting/pending-calls.ts'
import type { ToolCall } from './waiting/tool-call.ts'
import type { ModelOrigin } from '../models/model-choice.ts'
import type * as Ai from 'ai'
import { AppError } from '../../lib/errors.ts'
import { fromSdkUsage } from './usage.ts'

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

/** Converts the steps of the AI SDK. */
export function toSteps(steps: readonly Ai.StepResult<Ai.ToolSet>[]): GeneratedStep[] {
  return steps.map((step) => ({
    text: step.text,
    ...(step.reasoningText === undefined ? {} : { reasoning: step.reasoningText }),
    finishReason: step.finishReason,
    usage: fromSdkUsage(step),
    toolCalls: step.toolCalls.map(({ toolCallId, toolName, input }) => ({
      toolCallId,
      toolName,
      input,
    })),
    toolResults: step.content.flatMap((part) => toResult(part)),
  }))
}

function toResult(part: Ai.ContentPart<Ai.ToolSet>): ToolCallResult[] {
  if (part.type !== 'tool-result' && part.type !== 'tool-error') return []
  if (part.type === 'tool-result' && part.output instanceof SuspendedAnswer) return []
  const { toolCallId, toolName } = part
  return part.type === 'tool-result'
    ? [{ toolCallId, toolName, output: part.output as unknown }]
    : [{ toolCallId, toolName, error: toolErrorMessage(part) }]
}

interface FailedCall {
  readonly toolName: string
  readonly error: unknown
  readonly dynamic?: boolean | undefined
}

/** The public message of a failed tool call. Only AppError messages are public; other errors are only logged. */
export function toolErrorMessage({ toolName, error, dynamic }: FailedCall): string {
  if (error instanceof AppError) return error.message
  // a message of the AI SDK about a call that matches none of the agent's tools
  if (dynamic === true && typeof error === 'string') return error
  return `Tool "${toolName}" failed`
}
