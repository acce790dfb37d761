import type { Usage } from '../../contract/agent-event.ts'
import { toNanoDollars } from '../../contract/usage/cost.ts'

/** What an ended agent run adds to the counts of its hour, from its usage as JSON text. */
export function countedUsage(usage: string | null): {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costNano: number | null
} {
  if (usage === null) return { inputTokens: 0, outputTokens: 0, costNano: 0 }
  const { inputTokens, outputTokens, costUsd = null } = JSON.parse(usage) as Partial<Usage>
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    costNano: costUsd === null ? null : toNanoDollars(costUsd),
  }
}
