import type { CallCosts } from '../../contract/endpoints/statistics.ts'
import { formatCost } from '../../contract/usage/cost.ts'
import { countText } from '../ui/time/format-time.ts'

type Sum = Pick<CallCosts, 'calls' | 'knownCostUsd' | 'unpricedCalls'>

/** The cost of a sum: `$1.24`, `unknown`, or `$1.24 + 3 calls of unknown cost`. */
export function costText({ calls, knownCostUsd, unpricedCalls }: Sum): string {
  if (unpricedCalls === 0) return formatCost(knownCostUsd)
  if (unpricedCalls === calls) return 'unknown'
  const unknown = `${countText(unpricedCalls)} ${unpricedCalls === 1 ? 'call' : 'calls'} of unknown cost`
  return `${formatCost(knownCostUsd)} + ${unknown}`
}
