import type * as Ai from 'ai'
import type { FinishReason, UiMessageChunk } from '../../../contract/agent-event.ts'
import { AppError } from '../../../lib/errors.ts'
import { SuspendedAnswer } from '../waiting/pending-calls.ts'
import { type AnswerFormat, summaryOf } from './answer-format.ts'

/** The UI message stream of the AI SDK. The summary of the answer is in the metadata of the message. */
export function chatFormat(messages: readonly object[]): AnswerFormat<UiMessageChunk> {
  return {
    async *read(stream, run) {
      const originalMessages = messages as readonly Ai.UIMessage[]
      const onError = (error: unknown) => (error instanceof AppError ? error.message : 'Something went wrong')
      const suspended: SuspendedAnswer[] = []
      for await (const chunk of stream.chunks({ messageId: run.id, originalMessages, onError })) {
        if (chunk.type === 'error') return
        if (chunk.type === 'tool-output-available' && chunk.output instanceof SuspendedAnswer)
          suspended.push(chunk.output)
        else if (chunk.type !== 'finish' && chunk.type !== 'abort') yield chunk
      }
      if (suspended.length > 0) yield* subAgentApprovals(suspended)
    },
    finished: (generated, run) => {
      const { finishReason, ...messageMetadata } = summaryOf(generated, run)
      return { type: 'finish', finishReason: toSdkReason(finishReason), messageMetadata }
    },
    failed: (errorText) => ({ type: 'error', errorText }),
    aborted: () => ({ type: 'abort' }),
  }
}

/** The AI SDK refuses reasons that it does not know. */
function toSdkReason(reason: FinishReason): Ai.FinishReason {
  return reason === 'approval-required' ? 'tool-calls' : reason
}

/** The calls of sub-agents that need approval, as a step of their own, so that clients show and answer them. */
function* subAgentApprovals(suspended: readonly SuspendedAnswer[]): Generator<Ai.UIMessageChunk> {
  yield { type: 'start-step' }
  for (const { approvalId, toolCallId, toolName, input } of suspended.flatMap(
    (one) => one.suspended.approvals,
  )) {
    yield { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true }
    yield { type: 'tool-approval-request', approvalId, toolCallId }
  }
  yield { type: 'finish-step' }
}
