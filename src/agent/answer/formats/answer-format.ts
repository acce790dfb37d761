import type { Generated } from '../generated.ts'
import type { AnswerStream } from '../stream-answer.ts'

/** What a stream tells of the run behind it. */
export interface RunIdentity {
  readonly id: string
  readonly traceId: string
}

/** A way to send an answer while it comes. */
export interface AnswerFormat<Part> {
  /** All parts but the last, until the model has answered or failed. */
  read(stream: AnswerStream, run: RunIdentity): AsyncIterable<Part>
  /** The last part, one of these three. */
  finished(generated: Generated, run: RunIdentity): Part
  failed(message: string): Part
  aborted(): Part
}

/** What the last part tells of the whole answer. */
export function summaryOf({ finishReason, usage, model }: Generated, { id, traceId }: RunIdentity) {
  return { id, finishReason, usage, model: `${model.provider}/${model.modelId}`, traceId }
}
