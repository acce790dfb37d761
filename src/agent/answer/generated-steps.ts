import type * as Ai from 'ai'
import { AppError } from '../../lib/errors.ts'
import type { GeneratedStep, ToolResult } from './generated.ts'
import { toUsage } from './usage.ts'

/** The AI SDK's steps in our words. */
export function toSteps(steps: readonly Ai.StepResult<Ai.ToolSet>[]): GeneratedStep[] {
  return steps.map((step) => ({
    text: step.text,
    ...(step.reasoningText === undefined ? {} : { reasoning: step.reasoningText }),
    finishReason: step.finishReason,
    usage: toUsage(step.usage),
    toolCalls: step.toolCalls.map(({ toolCallId, toolName, input }) => ({
      toolCallId,
      toolName,
      input,
    })),
    toolResults: step.content.flatMap((part) => toResult(part)),
  }))
}

function toResult(part: Ai.ContentPart<Ai.ToolSet>): ToolResult[] {
  if (part.type !== 'tool-result' && part.type !== 'tool-error') return []
  const { toolCallId, toolName } = part
  return part.type === 'tool-result'
    ? [{ toolCallId, toolName, output: part.output as unknown }]
    : [{ toolCallId, toolName, error: toolErrorText(part) }]
}

interface FailedCall {
  readonly toolName: string
  readonly error: unknown
  readonly dynamic?: boolean | undefined
}

/** What is told of a tool that failed. Only our own messages are for everyone; the rest is in the log. */
export function toolErrorText({ toolName, error, dynamic }: FailedCall): string {
  if (error instanceof AppError) return error.message
  // the AI SDK's own words: a call that no tool of the agent could take
  if (dynamic === true && typeof error === 'string') return error
  return `Tool "${toolName}" failed`
}
