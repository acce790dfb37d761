import type * as Ai from 'ai'
import { AppError } from '../../lib/errors.ts'
import type { GeneratedStep, ToolCallResult } from './generated.ts'
import { SuspendedAnswer } from './waiting/pending-calls.ts'
import { fromSdkUsage } from './usage.ts'

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
