import type { StepWait } from '../../../contract/step-wait.ts'
import type { Generated } from '../generated.ts'
import type { AnswerStream } from '../stream-answer.ts'

/** The ids of the run that a stream belongs to. */
export interface AnswerIds {
  readonly id: string
  readonly traceId: string
}

/** A wire format of streamed answers. */
export interface AnswerFormat<Part> {
  /** All parts except the last, until the model has answered or failed. */
  read(stream: AnswerStream, run: AnswerIds): AsyncIterable<Part>
  /** Parts before the last one, of an answer that waits in the middle of a tool. */
  waiting?(waits: readonly StepWait[], run: AnswerIds): readonly Part[]
  /** The last part of a stream is one of these three. */
  finished(generated: Generated, run: AnswerIds): Part
  failed(message: string, error?: unknown): Part
  aborted(): Part
}

/** The members for the object that a request for text has asked for. */
export function requestedObject({ object }: Generated): { output?: unknown; object?: unknown } {
  return object === undefined ? {} : { output: object, object }
}

/** The members of the last part that describe the complete answer. */
export function summaryOf(generated: Generated, { id, traceId }: AnswerIds) {
  const { finishReason, reason, usage, model, pending } = generated
  const { approvals = [], waits } = pending ?? {}
  const summary = { id, finishReason, usage, model: `${model.provider}/${model.modelId}`, traceId }
  const why = reason === undefined ? {} : { reason }
  const waiting = waits ? { waits: [...waits] } : {}
  return { ...summary, ...why, ...(approvals.length > 0 && { approvals: [...approvals] }), ...waiting }
}
