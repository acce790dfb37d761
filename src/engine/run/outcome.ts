import type { ExecutionError } from '../../contract/event.ts'
import type { Compensation } from '../../contract/status.ts'
import type { PlacedStep } from '../../workflow/rules.ts'
import type { SuspendRequest } from './step-task.ts'

/** A request to suspend or cancel an execution. */
export interface EndRequest {
  readonly reason: string
  /** The id of the user who made it. */
  readonly by?: string | undefined
}

/** How an execution is ended from outside. */
export interface EndOptions {
  /** Leaves the compensations. */
  readonly force?: boolean | undefined
  /** The id of the event that requested it. */
  readonly eventId?: string | undefined
}

/** A request to cancel an execution. */
export interface CancelRequest extends EndRequest, EndOptions {}

/** The status that an execution settled in, and what belongs to it. `at` is in milliseconds since the epoch. */
export type RunOutcome =
  | { readonly status: 'completed'; readonly at: number; readonly output: string }
  | ({ readonly status: 'error'; readonly at: number; readonly error: ExecutionError } & Compensated)
  | ({ readonly status: 'cancelled'; readonly at: number } & EndRequest & Compensated)
  | {
      readonly status: 'suspended'
      readonly at: number
      readonly place: PlacedStep
      readonly request: SuspendRequest
      readonly resumeSchema: unknown
    }

interface Compensated {
  /** How the compensations of its completed steps have ended; none if it had none. */
  readonly compensation?: Compensation
}

/** An outcome before which the completed steps are compensated. */
export type EndingOutcome = Extract<RunOutcome, { status: 'error' | 'cancelled' }>
export type CancelledOutcome = Extract<RunOutcome, { status: 'cancelled' }>
export type SuspendedOutcome = Extract<RunOutcome, { status: 'suspended' }>

/**
 * How a run ended in this process. `settled`: with an outcome, which is stored. `refused`: the id of the new
 * execution was in use. `full`: too many executions wait for this one to wait, too. `stopped`: midway, to be continued by the next owner. `fenced`: another machine has taken the
 * execution over, or has cancelled it.
 */
export type RunEnd =
  | { readonly kind: 'settled'; readonly outcome: RunOutcome }
  | { readonly kind: 'refused' }
  | { readonly kind: 'full' }
  | { readonly kind: 'fenced' }
  | { readonly kind: 'stopped'; readonly cause: unknown }
