import type { CallCosts } from '../../../contract/endpoints/statistics/statistics.ts'
import { fromNanoDollars } from '../../../contract/usage/cost.ts'
import { groupBy } from '../../../lib/group-by.ts'
import type { CallSums } from '../../../store/usage/usage-store.ts'

const NO_CALLS: CallSums = { calls: 0, unpriced: 0, inputTokens: 0, outputTokens: 0, costNano: 0 }

/** Sums as the API returns them. */
export function callCosts({ calls, unpriced, inputTokens, outputTokens, costNano }: CallSums): CallCosts {
  const knownCostUsd = fromNanoDollars(costNano)
  const costUsd = unpriced > 0 ? null : knownCostUsd
  return { calls, inputTokens, outputTokens, costUsd, knownCostUsd, unpricedCalls: unpriced }
}

export function sumCalls(rows: readonly CallSums[]): CallSums {
  return rows.reduce(
    (sum, row) => ({
      calls: sum.calls + row.calls,
      unpriced: sum.unpriced + row.unpriced,
      inputTokens: sum.inputTokens + row.inputTokens,
      outputTokens: sum.outputTokens + row.outputTokens,
      costNano: sum.costNano + row.costNano,
    }),
    NO_CALLS,
  )
}

/** The sums of the rows with the same keys, the most expensive first. */
export function groupCalls<Row extends CallSums, const Key extends keyof Row>(
  rows: readonly Row[],
  ...keys: readonly Key[]
): (Pick<Row, Key> & CallCosts)[] {
  const groups = groupBy(rows, (row) => JSON.stringify(keys.map((key) => row[key])))
  return [...groups.values()]
    .map((group) => ({ group, sums: sumCalls(group) }))
    .toSorted((one, other) => other.sums.costNano - one.sums.costNano || other.sums.calls - one.sums.calls)
    .map(({ group, sums }) => {
      const [first] = group as [Row]
      const named = Object.fromEntries(keys.map((key) => [key, first[key]])) as Pick<Row, Key>
      return { ...named, ...callCosts(sums) }
    })
}
