import type * as Ai from 'ai'
import type { FinishReason, UiMessageChunk } from '../../../contract/agent-event.ts'
import { AppError } from '../../../lib/errors.ts'
import { LiveChunks } from '../live/live-chunks.ts'
import { Live } from '../live/live-parts.ts'
import type { SettledCall } from '../generated.ts'
import { type PendingApproval, SuspendedAnswer } from '../waiting/pending-calls.ts'
import type { ToolCall } from '../waiting/tool-call.ts'
import { type AnswerFormat, summaryOf } from './answer-format.ts'

/** The UI message stream of the AI SDK. The summary of the answer is in the metadata of the message. */
export function chatFormat(messages: readonly object[]): AnswerFormat<UiMessageChunk> {
  return {
    async *read(stream, run) {
      const originalMessages = messages as readonly Ai.UIMessage[]
      const onError = (error: unknown) => (error instanceof AppError ? error.message : 'Something went wrong')
      const suspended: SuspendedCall[] = []
      let settled = 0
      const chunks = stream.chunks({ messageId: run.id, originalMessages, onError })
      const live = new LiveChunks(run.id)
      for await (const chunk of stream.live?.among(chunks, CALLS) ?? chunks) {
        if (chunk instanceof Live) {
          yield live.chunk(chunk.part)
          continue
        }
        if (chunk.type === 'error') return
        if (chunk.type === 'tool-output-available' && chunk.output instanceof SuspendedAnswer)
          suspended.push({ toolCallId: chunk.toolCallId, ...chunk.output.suspended })
        else if (chunk.type !== 'finish' && chunk.type !== 'abort') yield chunk
        for (; settled < stream.settled.length; settled++)
          yield settledChunk(stream.settled[settled] as SettledCall)
      }
      if (suspended.length > 0) yield* approvalRequests(suspended)
    },
    waiting: (waits, { id: runId }) =>
      waits.map((wait) => ({ type: 'data-wait', id: wait.path, data: { runId, ...wait } })),
    finished: (generated, run) => {
      const { finishReason, ...facts } = summaryOf(generated, run)
      const messageMetadata = finishReason === 'guardrail' ? { finishReason, ...facts } : facts
      return { type: 'finish', finishReason: toSdkReason(finishReason), messageMetadata }
    },
    failed: (errorText) => ({ type: 'error', errorText }),
    aborted: () => ({ type: 'abort' }),
  }
}

const CALLS = {
  begin: 'tool-input-available',
  ends: new Set(['tool-output-available', 'tool-output-error', 'tool-output-denied']),
}

/** The end of a call of a sub-agent, which the message has had since it waited. */
function settledChunk({ approvalId: toolCallId, isDenied, result }: SettledCall): Ai.UIMessageChunk {
  if (isDenied) return { type: 'tool-output-denied', toolCallId }
  if (result?.error !== undefined)
    return { type: 'tool-output-error', toolCallId, errorText: result.error, dynamic: true }
  return { type: 'tool-output-available', toolCallId, output: result?.output ?? null, dynamic: true }
}

/** The AI SDK refuses reasons that it does not know. */
function toSdkReason(reason: FinishReason): Ai.FinishReason {
  if (reason === 'guardrail') return 'content-filter'
  return reason === 'approval-required' || reason === 'suspended' ? 'tool-calls' : reason
}

interface SuspendedCall {
  readonly toolCallId: string
  readonly approvals: readonly PendingApproval[]
  readonly toolCalls: readonly ToolCall[]
}

/** What the calls of sub-agents and tools wait for, as a step of its own, so that clients show and answer it. */
export function* approvalRequests(suspended: readonly SuspendedCall[]): Generator<Ai.UIMessageChunk> {
  yield { type: 'start-step' }
  for (const { toolCallId: callId, approvals, toolCalls } of suspended) {
    for (const { approvalId, toolCallId: ownId, toolName, input, kind } of approvals) {
      // the message has the call of the agent's own tool, which requests a form
      const isShown = kind === 'elicitation' && ownId === callId
      // the model of a sub-agent may give its calls the ids of this agent's calls
      const toolCallId = isShown ? ownId : approvalId
      if (!isShown) yield { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true }
      yield { type: 'tool-approval-request', approvalId, toolCallId }
    }
    for (const { toolCallId, toolName, input } of toolCalls)
      yield { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true }
  }
  yield { type: 'finish-step' }
}
