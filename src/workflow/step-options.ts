import type { Duration } from '../lib/duration.ts'
import type { Schema } from '../lib/schema/schema.ts'
import type { Retries } from '../step/retry.ts'

/** Options of every step kind. */
export interface StepOptions<Id extends string = string> {
  /** Unique in its workflow. */
  readonly id: Id
  /** Name in the console. Default: the id. */
  readonly name?: string
  /** A one-sentence description of the step. */
  readonly purpose?: string
  /** The id, or the ids, that it had before: executions that ran it under one of them continue with what is recorded there. */
  readonly was?: string | readonly string[]
}

/** Options of the step kinds that run user code. */
export interface TaskOptions<Id extends string = string> extends StepOptions<Id> {
  /** Schema of the data of the step. */
  readonly inputSchema?: Schema
  /** Schema of the output of the step. */
  readonly outputSchema?: Schema
  /** Schema of the data that `suspend` records. */
  readonly suspendSchema?: Schema
  /** Schema of the data that a resume passes. */
  readonly resumeSchema?: Schema
  /** How often the step is retried after an error. Default: that of the workflow. */
  readonly retries?: Retries
  /** The timeout of one attempt, in milliseconds. */
  readonly timeoutMs?: number
  /** The time after which the suspended step continues without a resume, with `timedOut`: `'7d'`, `'10m'` or milliseconds. */
  readonly suspendTimeout?: Duration
}

/** The names of the options of every step kind. */
export const STEP_OPTIONS = {
  id: true,
  name: true,
  purpose: true,
  was: true,
} satisfies Record<keyof StepOptions, true>

/** The names of the options of the step kinds that run user code. */
export const TASK_OPTIONS = {
  ...STEP_OPTIONS,
  inputSchema: true,
  outputSchema: true,
  suspendSchema: true,
  resumeSchema: true,
  retries: true,
  timeoutMs: true,
  suspendTimeout: true,
} satisfies Record<keyof TaskOptions, true>
