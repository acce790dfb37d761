import type * as Ai from 'ai'
import type { FinishReason, UiMessageChunk } from '../../../contract/agent-event.ts'
import { AppError } from '../../../lib/errors.ts'
import { type PendingApproval, SuspendedAnswer } from '../waiting/pending-calls.ts'
import { type AnswerFormat, summaryOf } from './answer-format.ts'

/** The UI message stream of the AI SDK. The summary of the answer is in the metadata of the message. */
export function chatFormat(messages: readonly object[]): AnswerFormat<UiMessageChunk> {
  return {
    async *read(stream, run) {
      const originalMessages = messages as readonly Ai.UIMessage[]
      const onError = (error: unknown) => (error instanceof AppError ? error.message : 'Something went wrong')
      const suspended: SuspendedCall[] = []
      for await (const chunk of stream.chunks({ messageId: run.id, originalMessages, onError })) {
        if (chunk.type === 'error') return
        if (chunk.type === 'tool-output-available' && chunk.output instanceof SuspendedAnswer)
          suspended.push({ toolCallId: chunk.toolCallId, approvals: chunk.output.suspended.approvals })
        else if (chunk.type !== 'finish' && chunk.type !== 'abort') yield chunk
      }
      if (suspended.length > 0) yield* approvalRequests(suspended)
    },
    finished: (generated, run) => {
      const { finishReason, ...facts } = summaryOf(generated, run)
      const messageMetadata = finishReason === 'guardrail' ? { finishReason, ...facts } : facts
      return { type: 'finish', finishReason: toSdkReason(finishReason), messageMetadata }
    },
    failed: (errorText) => ({ type: 'error', errorText }),
    aborted: () => ({ type: 'abort' }),
  }
}

/** The AI SDK refuses reasons that it does not know. */
function toSdkReason(reason: FinishReason): Ai.FinishReason {
  if (reason === 'guardrail') return 'content-filter'
  return reason === 'approval-required' ? 'tool-calls' : reason
}

interface SuspendedCall {
  readonly toolCallId: string
  readonly approvals: readonly PendingApproval[]
}

/** What the calls of sub-agents and tools wait for, as a step of its own, so that clients show and answer it. */
function* approvalRequests(suspended: readonly SuspendedCall[]): Generator<Ai.UIMessageChunk> {
  yield { type: 'start-step' }
  for (const { toolCallId: callId, approvals } of suspended)
    for (const { approvalId, toolCallId: ownId, toolName, input, kind } of approvals) {
      // the message has the call of the agent's own tool, which requests a form
      const isShown = kind === 'elicitation' && ownId === callId
      // the model of a sub-agent may give its calls the ids of this agent's calls
      const toolCallId = isShown ? ownId : approvalId
      if (!isShown) yield { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true }
      yield { type: 'tool-approval-request', approvalId, toolCallId }
    }
  yield { type: 'finish-step' }
}
