/**
 * What model calls have used of budgets, by the hour. A call is reserved before it is made, in the transaction that checks
 * the limits, and settled afterwards: calls that run at the same time, on whatever machine, share what is left.
 */
export interface BudgetStore {
  /**
   * Reserves a call, if no limit refuses it; otherwise nothing is stored, and the limits that do are returned. A reservation
   * replaces an earlier one of the same call.
   */
  reserve(call: BudgetCall): Promise<readonly ExceededLimit[]>
  /** Replaces the reservation of a call by what it has used. Without a reservation it does nothing. */
  settle(call: string, used: BudgetAmount): Promise<void>
  /** The subjects of a budget that have used most of it since an hour, the first one first. */
  top(budget: Pick<BudgetCounter, 'declaredOn' | 'per'>, range: TopRange): Promise<readonly SubjectUse[]>
  /** Deletes up to `limit` amounts that count for no budget any more. Resolves with their number. */
  prune(hour: number, limit: number): Promise<number>
}

export interface BudgetAmount {
  /** In nano-dollars. */
  readonly costNano: number
  readonly tokens: number
}

/** What amounts are counted for. Budgets with the same counter share what it has counted. */
export interface BudgetCounter {
  /** `config`, `agent <id>` or `workflow <id>`. */
  readonly declaredOn: string
  readonly per: string
  /** The id of the run, the user or the agent; empty for none. */
  readonly subject: string
}

/** A limit of a counter. Amounts of `null` are not limited. */
export interface BudgetLimit extends BudgetCounter {
  /** Hours since the epoch; what was used before does not count. */
  readonly fromHour: number
  readonly costNano: number | null
  readonly tokens: number | null
  /** The hour from which this use does not count any more; null: that of a run, which is deleted with its record. */
  readonly untilHour: number | null
}

export interface BudgetCall {
  /** Identifies the call: the same when it is repeated after a crash. Not empty. */
  readonly call: string
  /** Hours since the epoch. */
  readonly hour: number
  readonly amount: BudgetAmount
  readonly limits: readonly BudgetLimit[]
}

export interface ExceededLimit {
  /** The index of the limit in the call. */
  readonly index: number
  /** What was used, oldest first. Empty if the call alone exceeds the limit. */
  readonly hours: readonly HourUse[]
}

export interface HourUse extends BudgetAmount {
  readonly hour: number
}

export interface TopRange {
  readonly fromHour: number
  readonly by: keyof BudgetAmount
  readonly limit: number
}

export interface SubjectUse extends BudgetAmount {
  readonly subject: string
}
