import type { Approvers } from '../../contract/access/callers.ts'
import type { AgentModel } from '../model-object.ts'

/** What a model call uses. */
export interface CallAmount {
  /** In nano-dollars. */
  readonly costNano: number
  readonly tokens: number
}

export interface BudgetedCall {
  /** The place of the call among those of its run, the same when it is repeated; `undefined` for one that never is. */
  readonly number: number | undefined
  /** What it may use. */
  readonly estimate: CallAmount
}

/** A call that may be made. */
export interface Reservation {
  /** Counts what the call has used in place of its estimate. */
  settle(used: CallAmount): Promise<void>
}

/** A person is asked whether the run may use more. */
export interface BudgetQuestion {
  /** What is used, and what the call may use; in production without amounts. */
  readonly question: string
  /** Whose response counts: of the users, only of the one who asked, or of none. */
  readonly approvedBy: Approvers
  readonly unit: 'usd' | 'tokens'
  /** What fails where nobody can be asked. */
  readonly error: Error
  /** The run may use that much more, in the unit. */
  allow(amount: number): void
}

/** What a call does: it is made, the run goes on with another model, or it waits for an answer. */
export type BudgetVerdict = Reservation | { readonly model: AgentModel } | { readonly ask: BudgetQuestion }

/** The budgets of one run. */
export interface CallBudget {
  /** The models that the run may go on with. */
  readonly models: readonly AgentModel[]
  /**
   * Reserves a call.
   *
   * @throws BudgetExceededError when it would exceed a budget that fails.
   */
  reserve(call: BudgetedCall): Promise<BudgetVerdict>
}
