import type { StepCalls } from '../../../step/step-calls.ts'
import { SuspendedAnswer } from '../waiting/pending-calls.ts'

/** What a recorded tool call gets. */
export interface CallRecord {
  /** The recorded calls of its `execute`. */
  readonly step: StepCalls
  /** Those of the sub-agent that it asks. */
  readonly nested: RecordedCalls
  /** Aborts when the answer ends because a tool waits: the call has not ended then. */
  readonly left: AbortSignal
}

/** A tool call, as it is recorded. */
export interface RecordedToolCall {
  /** Default: a call of the model. Others have ids of their own, which no id that a model chooses is equal to. */
  readonly kind?: 'tool' | 'budget'
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  /** Aborts when the answer has to stop: the call is not recorded then, and made again. */
  readonly signal: AbortSignal | undefined
}

/**
 * The calls of an answer that has a record: what they return is stored before the answer continues, and not repeated when
 * another process continues it.
 */
export interface RecordedCalls {
  /** The recorded answer of a call of the model, by its number from 1; `undefined` without one. */
  answer(number: number): unknown
  /**
   * Records an answer of the model. Resolves when it is stored, unless it is the last one, as it calls no tool.
   *
   * @throws the reason for which the answer must not continue here, such as another owner.
   */
  recordAnswer(number: number, answer: unknown, isLast: boolean): Promise<void>
  /** The answer of the model is requested again when the answer continues. */
  forgetAnswer(number: number): void
  /** Whether the outcome of a tool call is recorded. */
  has(toolCallId: string): boolean
  /**
   * Makes a tool call, unless its outcome is recorded. Does not settle when it waits: then the answer ends here, and the
   * call is made again when it continues.
   */
  make<Result>(call: RecordedToolCall, body: (record: CallRecord) => Promise<Result>): Promise<Result>
  /**
   * Another answer begins in the place of one that failed: its calls are made again. What a tool has recorded within a call is
   * found again by a call with the same id.
   */
  restart(): void
}

/** Whether a call of a tool or a sub-agent waits for people: it has no result yet. */
export function isSuspended(output: unknown): boolean {
  if (output instanceof SuspendedAnswer) return true
  return (
    typeof output === 'object' &&
    output !== null &&
    'text' in output &&
    output.text instanceof SuspendedAnswer
  )
}
