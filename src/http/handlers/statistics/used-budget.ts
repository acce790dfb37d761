import { windowHours } from '../../../agent/budgets/budget.ts'
import type { BudgetUse } from '../../../contract/endpoints/statistics/statistics.ts'
import { fromNanoDollars } from '../../../contract/usage/cost.ts'
import type { BudgetState } from '../../../engine/budgets/budget-states.ts'

/** A budget as the API returns it. */
export function usedBudget({ declaredOn, budget, top, ratio }: BudgetState): BudgetUse {
  const { per, usd = null, tokens = null, onLimit = 'fail' } = budget
  return {
    declaredOn,
    per,
    everyHours: windowHours(budget),
    usd,
    tokens,
    onLimit: typeof onLimit === 'object' ? nameOf(onLimit.model) : onLimit,
    subject: top?.subject ?? null,
    usedUsd: fromNanoDollars(top?.costNano ?? 0),
    usedTokens: top?.tokens ?? 0,
    usedRatio: ratio,
  }
}

function nameOf(model: string | { readonly provider: string; readonly modelId: string }): string {
  return typeof model === 'string' ? model : `${model.provider}/${model.modelId}`
}

interface CostFilter {
  readonly workflowId?: string | undefined
  readonly agentId?: string | undefined
}

/** Whether a budget is declared on what the costs are of; all are of the project. */
export function isOf({ declaredOn }: BudgetUse, { workflowId, agentId }: CostFilter): boolean {
  if (workflowId === undefined && agentId === undefined) return true
  return declaredOn === `workflow ${workflowId}` || declaredOn === `agent ${agentId}`
}
