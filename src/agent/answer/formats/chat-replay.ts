import type { UiMessageChunk } from '../../../contract/agent-event.ts'
import type { GeneratedStep, ToolCallResult } from '../generated.ts'
import type { WaitingAnswer } from '../waiting/resumed-answer.ts'
import { approvalRequests } from './chat-format.ts'

/** The part of an answer before it waited, as a stream: clients that resume it build the whole message from it. */
export function* replayChunks(
  messageId: string,
  { steps, pending }: WaitingAnswer,
): Generator<UiMessageChunk> {
  yield { type: 'start', messageId }
  const own = new Set<string>()
  for (const [index, step] of steps.entries()) {
    for (const { toolCallId } of step.toolCalls) own.add(toolCallId)
    yield* stepChunks(String(index), step)
  }
  const isOwn = ({ toolCallId }: { readonly toolCallId: string }) => own.has(toolCallId)
  const nested = new Set(pending.subAgents.flatMap(({ approvals }) => approvals))
  for (const approval of pending.approvals) {
    const { approvalId, toolCallId } = approval
    if (isOwn(approval) && !nested.has(approval))
      yield { type: 'tool-approval-request', approvalId, toolCallId }
  }
  if (pending.subAgents.length > 0) yield* approvalRequests(pending.subAgents)
}

function* stepChunks(id: string, step: GeneratedStep): Generator<UiMessageChunk> {
  const { text, reasoning, toolCalls, toolResults } = step
  yield { type: 'start-step' }
  if (reasoning !== undefined) {
    yield { type: 'reasoning-start', id }
    yield { type: 'reasoning-delta', id, delta: reasoning }
    yield { type: 'reasoning-end', id }
  }
  if (text !== '') {
    yield { type: 'text-start', id }
    yield { type: 'text-delta', id, delta: text }
    yield { type: 'text-end', id }
  }
  for (const { toolCallId, toolName, input } of toolCalls)
    yield { type: 'tool-input-available', toolCallId, toolName, input }
  for (const result of toolResults) yield resultChunk(result)
  yield { type: 'finish-step' }
}

function resultChunk({ toolCallId, output, error }: ToolCallResult): UiMessageChunk {
  return error === undefined
    ? { type: 'tool-output-available', toolCallId, output: output ?? null }
    : { type: 'tool-output-error', toolCallId, errorText: error }
}
