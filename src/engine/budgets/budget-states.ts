import { windowHours } from '../../agent/budgets/budget.ts'
import type { Budget } from '../../agent/budgets/budget.ts'
import { toNanoDollars } from '../../contract/usage/cost.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import type { BudgetStore, SubjectUse } from '../../store/budget-store.ts'

/** A budget, and where it is declared: `config`, `agent <id>` or `workflow <id>`. */
export interface DeclaredBudget {
  readonly declaredOn: string
  readonly budget: Budget
}

/** What is used of a budget. */
export interface BudgetState extends DeclaredBudget {
  /** The run, user or agent that has used most of its share; null when nothing is used, and of budgets per run. */
  readonly top: SubjectUse | null
  /** The part of the limit that it has used: 1 is all of it. */
  readonly ratio: number
}

/** What is used of budgets now, reservations included. */
export function budgetStates(
  declared: readonly DeclaredBudget[],
  { store, now }: { readonly store: BudgetStore; readonly now: number },
): Promise<BudgetState[]> {
  const hour = Math.floor(now / HOUR_MS)
  return Promise.all(declared.map((one) => stateOf(one, { store, hour })))
}

async function stateOf(
  { declaredOn, budget }: DeclaredBudget,
  { store, hour }: { readonly store: BudgetStore; readonly hour: number },
): Promise<BudgetState> {
  const hours = windowHours(budget)
  const { per, usd, tokens } = budget
  const limits = [
    ...(usd === undefined ? [] : [['costNano', toNanoDollars(usd)] as const]),
    ...(tokens === undefined ? [] : [['tokens', tokens] as const]),
  ]
  // each run has its own, and there are any number of runs
  const reads = (hours === null ? [] : limits).map(async ([by, limit]) => {
    const range = { fromHour: hour - (hours ?? 0) + 1, by, limit: 1 }
    const [top] = await store.top({ declaredOn, per }, range)
    return top === undefined ? [] : [{ top, ratio: top[by] / limit }]
  })
  const [most = { top: null, ratio: 0 }] = (await Promise.all(reads))
    .flat()
    .toSorted((one, other) => other.ratio - one.ratio)
  return { declaredOn, budget, ...most }
}
