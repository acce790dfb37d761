import type { ToolApproval } from '../contract/agent-event.ts'
import type { StepWait } from '../contract/step-wait.ts'
import type { AnswerFormat, AnswerIds } from '../agent/answer/formats/answer-format.ts'

/** A chunk of an answer. Without `append` it replaces the previous text, because the model started a new step. */
export interface TextChunk {
  readonly text: string
  readonly append: boolean
}

/** What a task waits for. */
export interface TaskRequest {
  readonly approvals: readonly ToolApproval[]
  /** Tools and budgets that wait in the middle. */
  readonly waits?: readonly StepWait[] | undefined
}

export type TaskEnd =
  | { readonly state: 'completed'; readonly text: string }
  | { readonly state: 'failed' | 'rejected'; readonly message: string }
  | { readonly state: 'canceled' }
  | ({ readonly state: 'input-required' } & TaskRequest)

/** A part of a task's stream: the start, chunks of text, the end. */
export type TaskPart =
  | { readonly type: 'started'; readonly run: AnswerIds }
  | { readonly type: 'text'; readonly chunk: TextChunk }
  | { readonly type: 'ended'; readonly end: TaskEnd }

/** The stream of an A2A task. The text of a step replaces the text of the step before its tool calls. */
export const taskFormat: AnswerFormat<TaskPart> = {
  async *read(stream, run) {
    yield { type: 'started', run }
    let append = false
    for await (const part of stream.parts()) {
      if (part.type === 'error') return
      if (part.type === 'start-step') append = false
      if (part.type !== 'text-delta' || part.text === '') continue
      yield { type: 'text', chunk: { text: part.text, append } }
      append = true
    }
  },
  finished: ({ text, reason: message, pending }) => {
    if (message !== undefined) return { type: 'ended', end: { state: 'rejected', message } }
    if (!pending) return { type: 'ended', end: { state: 'completed', text } }
    const { approvals, waits } = pending
    return { type: 'ended', end: { state: 'input-required', approvals, waits } }
  },
  failed: (message) => ({ type: 'ended', end: { state: 'failed', message } }),
  aborted: () => ({ type: 'ended', end: { state: 'canceled' } }),
}
