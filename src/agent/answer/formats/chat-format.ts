import type * as Ai from 'ai'
import type { UiMessageChunk } from '../../../contract/agent-event.ts'
import { AppError } from '../../../lib/errors.ts'
import { type AnswerFormat, summaryOf } from './answer-format.ts'

/** The UI message stream of the AI SDK. The summary of the answer is in the metadata of the message. */
export function chatFormat(messages: readonly object[]): AnswerFormat<UiMessageChunk> {
  return {
    async *read(stream, run) {
      const originalMessages = messages as readonly Ai.UIMessage[]
      const onError = (error: unknown) => (error instanceof AppError ? error.message : 'Something went wrong')
      for await (const chunk of stream.chunks({ messageId: run.id, originalMessages, onError })) {
        if (chunk.type === 'error') return
        if (chunk.type !== 'finish' && chunk.type !== 'abort') yield chunk
      }
    },
    finished: (generated, run) => {
      const { finishReason, ...messageMetadata } = summaryOf(generated, run)
      return { type: 'finish', finishReason, messageMetadata }
    },
    failed: (errorText) => ({ type: 'error', errorText }),
    aborted: () => ({ type: 'abort' }),
  }
}
