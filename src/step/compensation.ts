import type { Logger } from 'pino'
import type { ExecutionError } from '../contract/event.ts'
import type { CompensationReason } from '../contract/status.ts'

/** Why and how a step is compensated. */
export interface CompensationContext {
  /** Why the execution ends: it failed, exceeded its `timeout`, or was cancelled. */
  readonly reason: CompensationReason
  /** The error with which the execution ends; `undefined` when it was cancelled. */
  readonly error: ExecutionError | undefined
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** Equal for all attempts, and another one than that of the step. Pass it to every API that accepts an idempotency key. */
  readonly idempotencyKey: string
  /** Aborts when the attempt exceeds its time limit, the server stops, or a cancel with `force` ends the compensations. */
  readonly signal: AbortSignal
  /** Logger whose records belong to the execution. */
  readonly logger: Logger
}

/**
 * Undoes a step that has completed, when its execution fails, exceeds its time or is cancelled. Gets the result of the step;
 * what it returns is ignored.
 */
export type Compensate<Result> = (result: Result, context: CompensationContext) => unknown
