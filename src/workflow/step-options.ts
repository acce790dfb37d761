import type { Schema } from '../lib/schema/schema.ts'
import type { Retries } from './retry.ts'

/** Options of every step kind. */
export interface StepOptions {
  /** Unique in its workflow. */
  readonly id: string
  readonly name?: string
  /** A one-sentence description of the step. */
  readonly purpose?: string
}

/** Options of the step kinds that run user code. */
export interface TaskOptions extends StepOptions {
  readonly inputSchema?: Schema
  readonly outputSchema?: Schema
  readonly suspendSchema?: Schema
  readonly resumeSchema?: Schema
  readonly retries?: Retries
  /** The timeout of one attempt, in milliseconds. */
  readonly timeoutMs?: number
}
