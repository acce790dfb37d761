import type { AnswerFormat, RunIds } from '../agent/answer/formats/answer-format.ts'

/** A piece of an answer. Without `append` it takes the place of what was there: the model began anew. */
export interface TextChunk {
  readonly text: string
  readonly append: boolean
}

export type TaskEnd =
  | { readonly state: 'completed'; readonly text: string }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'canceled' }

/** How a task goes: it begins, its text comes piece by piece, it ends. */
export type TaskPart =
  | { readonly type: 'begun'; readonly run: RunIds }
  | { readonly type: 'text'; readonly chunk: TextChunk }
  | { readonly type: 'ended'; readonly end: TaskEnd }

/** An agent's answer as an A2A task sees it. What the model says before it calls tools gives way to what it says after. */
export const taskFormat: AnswerFormat<TaskPart> = {
  async *read(stream, run) {
    yield { type: 'begun', run }
    let append = false
    for await (const part of stream.parts()) {
      if (part.type === 'error') return
      if (part.type === 'start-step') append = false
      if (part.type !== 'text-delta' || part.text === '') continue
      yield { type: 'text', chunk: { text: part.text, append } }
      append = true
    }
  },
  finished: ({ text }) => ({ type: 'ended', end: { state: 'completed', text } }),
  failed: (message) => ({ type: 'ended', end: { state: 'failed', message } }),
  aborted: () => ({ type: 'ended', end: { state: 'canceled' } }),
}
