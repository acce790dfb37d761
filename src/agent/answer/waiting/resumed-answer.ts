import type * as Ai from 'ai'
import type { Usage } from '../../../contract/agent-event.ts'
import { toModelOutput } from '../../tools/model-output.ts'
import type { GeneratedStep, ToolCallResult } from '../generated.ts'
import type { ToolCall } from './tool-call.ts'
import type { PendingCalls, SuspendedSubAgent } from './pending-calls.ts'

/** The part of an answer before the calls that it waits for. JSON. */
export interface WaitingAnswer {
  readonly steps: readonly GeneratedStep[]
  readonly usage: Usage
  /** The messages of its steps. */
  readonly messages: readonly Ai.ModelMessage[]
  readonly pending: PendingCalls
}

/** What a person decided about a tool call. */
export interface ApprovalResponse {
  readonly approvalId: string
  readonly approved: boolean
  /** Replaces the arguments that the model chose. */
  readonly input?: unknown
  /** For the model, when the call was denied. */
  readonly reason?: string | undefined
}

/** What the client's tool returned: either `output` or `errorText`. */
export interface ClientToolOutput {
  readonly toolCallId: string
  readonly output?: unknown
  readonly errorText?: string | undefined
}

/** The responses to all calls that an answer waited for. */
export interface PendingResponses {
  readonly approvals: readonly ApprovalResponse[]
  readonly toolOutputs: readonly ClientToolOutput[]
}

/** An answer that continues, because the calls that it waited for have their responses. */
export interface ResumedAnswer {
  /** The steps before. */
  readonly steps: readonly GeneratedStep[]
  readonly usage: Usage
  /** The messages before, with the responses at their end. */
  readonly messages: readonly Ai.ModelMessage[]
  /** The ids of the calls that are executed now: approved ones, and those of sub-agents that waited. */
  readonly executed: ReadonlySet<string>
  /** The sub-agents that waited. */
  readonly subAgents: readonly SuspendedSubAgent[]
  readonly responses: PendingResponses
}

type ToolMessage = Extract<Ai.ModelMessage, { role: 'tool' }>
type ToolPart = ToolMessage['content'][number]

/** Continues the messages of an answer with the responses to its calls, as the AI SDK expects them. */
export function resumeAnswer(waiting: WaitingAnswer, responses: PendingResponses): ResumedAnswer {
  const { pending, usage } = waiting
  const responseOf = new Map(responses.approvals.map((response) => [response.approvalId, response]))
  const ownApprovals = ownApprovalsOf(pending)
  const edited = new Map<string, unknown>()
  const executed = new Set(pending.subAgents.map(({ toolCallId }) => toolCallId))
  const parts: ToolPart[] = []
  for (const { approvalId, toolCallId } of ownApprovals) {
    const { approved = false, reason, input } = responseOf.get(approvalId) ?? {}
    if (approved) executed.add(toolCallId)
    if (approved && input !== undefined) edited.set(toolCallId, input)
    parts.push({
      type: 'tool-approval-response',
      approvalId,
      approved,
      ...(reason !== undefined && { reason }),
    })
  }
  for (const { runId } of pending.subAgents)
    parts.push({ type: 'tool-approval-response', approvalId: runId, approved: true })
  const nested = new Set(
    pending.subAgents.flatMap(({ toolCalls }) => toolCalls.map(({ toolCallId }) => toolCallId)),
  )
  const ownCalls = pending.toolCalls.filter(({ toolCallId }) => !nested.has(toolCallId))
  const outputs = ownCalls.flatMap((call) => {
    const output = responses.toolOutputs.find(({ toolCallId }) => toolCallId === call.toolCallId)
    return output ? [{ call, output }] : []
  })
  parts.push(...outputs.map(({ call, output }) => toResultPart(call, output)))
  const content: ToolMessage = { role: 'tool', content: parts }
  return {
    steps: withResults(withEdits(waiting.steps, edited), outputs.map(toCallResult)),
    usage,
    messages: [...waiting.messages.map((message) => withEditedCalls(message, edited)), content],
    executed,
    subAgents: pending.subAgents,
    responses,
  }
}

/** The approvals of the agent's own tools. */
function ownApprovalsOf({ approvals, subAgents }: PendingCalls) {
  const nested = new Set(
    subAgents.flatMap((subAgent) => subAgent.approvals.map(({ approvalId }) => approvalId)),
  )
  return approvals.filter(({ approvalId }) => !nested.has(approvalId))
}

interface AnsweredCall {
  readonly call: ToolCall
  readonly output: ClientToolOutput
}

function toResultPart({ toolCallId, toolName }: ToolCall, { output, errorText }: ClientToolOutput): ToolPart {
  return {
    type: 'tool-result',
    toolCallId,
    toolName,
    output: errorText === undefined ? toModelOutput(output) : { type: 'error-text', value: errorText },
  }
}

function toCallResult({ call: { toolCallId, toolName }, output }: AnsweredCall): ToolCallResult {
  return output.errorText === undefined
    ? { toolCallId, toolName, output: output.output }
    : { toolCallId, toolName, error: output.errorText }
}

function withEditedCalls(message: Ai.ModelMessage, edited: ReadonlyMap<string, unknown>): Ai.ModelMessage {
  if (edited.size === 0 || message.role !== 'assistant' || typeof message.content === 'string') return message
  const content = message.content.map((part) =>
    part.type === 'tool-call' && edited.has(part.toolCallId)
      ? { ...part, input: edited.get(part.toolCallId) }
      : part,
  )
  return { ...message, content }
}

function withEdits(steps: readonly GeneratedStep[], edited: ReadonlyMap<string, unknown>): GeneratedStep[] {
  return steps.map((step) => ({
    ...step,
    toolCalls: step.toolCalls.map((call) =>
      edited.has(call.toolCallId) ? { ...call, input: edited.get(call.toolCallId) } : call,
    ),
  }))
}

/** The steps, with results of calls of the last one. */
export function withResults(
  steps: readonly GeneratedStep[],
  results: readonly ToolCallResult[],
): GeneratedStep[] {
  const last = steps.at(-1)
  if (!last || results.length === 0) return [...steps]
  return [...steps.slice(0, -1), { ...last, toolResults: [...last.toolResults, ...results] }]
}

/** The results of the calls that were executed or denied when an answer continued. */
export function resumedResults(messages: readonly Ai.ModelMessage[]): ToolCallResult[] {
  const [first] = messages
  if (first?.role !== 'tool') return []
  return first.content.flatMap((part) => (part.type === 'tool-result' ? [toResult(part)] : []))
}

function toResult({ toolCallId, toolName, output }: Ai.ToolResultPart): ToolCallResult {
  if (output.type === 'execution-denied') return { toolCallId, toolName, error: output.reason ?? 'Denied' }
  return output.type === 'error-text' || output.type === 'error-json'
    ? {
        toolCallId,
        toolName,
        error: typeof output.value === 'string' ? output.value : JSON.stringify(output.value),
      }
    : { toolCallId, toolName, output: output.value }
}
