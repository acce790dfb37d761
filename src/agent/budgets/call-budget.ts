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

/** What a call does: it is made, or the run goes on with another model. */
export type BudgetVerdict = Reservation | { readonly model: AgentModel }

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
