import type { Approvers } from '../../contract/access/callers.ts'
import type { Misfit } from '../../contract/event.ts'
import type { RetryPolicy } from '../../step/retry.ts'
import type { PlacedStep } from '../../workflow/rules.ts'

/** One durable unit of an execution. Its key is the step's path and how often the step was resumed. */
export interface StepTask extends PlacedStep {
  /** JSON text. */
  readonly input: string
  readonly resumes: number
  readonly retries: RetryPolicy
  /** A failure is recorded, and the input becomes the result. */
  readonly continueOnError: boolean
  /** The workflow does not declare it: its function makes it. */
  readonly isCall: boolean
}

/** The arguments of a suspension. `data` is JSON text. */
export interface SuspendRequest {
  readonly reason: string
  readonly data: string | null
  /** JSON Schema of the resume data. Default: the step's own; null when none is requested. */
  readonly resumeSchema?: unknown
  /** The id of the user who requested it from outside. */
  readonly by?: string | undefined
  /** When it wakes by itself, in milliseconds since the epoch. */
  readonly wakeAt?: number | undefined
  /** The name and the key of the event that it waits for. */
  readonly event?: string | undefined
  readonly key?: string | undefined
  /** The answer that waits for responses, of the agent that the step asked. */
  readonly run?: SuspendedExecution | undefined
  /** Why the record does not fit the code, when the execution waits for that. */
  readonly misfits?: readonly Misfit[] | undefined
  /** Whose response counts, of the users. Default: by the rules of the execution. */
  readonly approvedBy?: Approvers | undefined
  /** How long the step waits, in milliseconds, unless it has a `suspendTimeout`. */
  readonly timeoutMs?: number | undefined
}

/** The execution of an answer that waits for responses to tool calls. */
export interface SuspendedExecution {
  readonly id: string
  /** The number of model calls before it waited: it may wait again later. */
  readonly steps: number
}

export type StepOutcome = { readonly output: string } | { readonly suspended: SuspendRequest }

/** Why a suspended step continues. `data` is the resume data as JSON text. */
export interface Resumed {
  readonly data: string | null
  readonly timedOut: boolean
  /** The answer that waited with the step. */
  readonly run?: SuspendedExecution | undefined
}

export interface CustomEvent {
  readonly stepId: string
  readonly name: string
  /** JSON text. */
  readonly data: string
}

/** A round of a loop, or an item of an andForEach step, in which a step runs. */
export interface Round {
  readonly path: string
  /** The path of its step in the workflow's declaration, which has no rounds. */
  readonly declaredPath: string
  readonly index: number
}
