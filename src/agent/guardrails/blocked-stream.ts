import type * as Ai from 'ai'
import type { Generated } from '../answer/generated.ts'
import type { AnswerStream } from '../answer/stream-answer.ts'

/** The stream of an answer whose input was blocked. */
export function blockedStream(generated: Generated, ai: typeof Ai, signal: AbortSignal): AnswerStream {
  return {
    ai,
    answerSchema: undefined,
    live: undefined,
    settled: [],
    signal,
    async *parts() {
      yield { type: 'start' }
    },
    async *chunks({ messageId }) {
      yield { type: 'start', messageId }
    },
    progress: () => ({ text: '', steps: [] }),
    end: async () => generated,
  }
}
