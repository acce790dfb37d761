/** Costs are summed in these units: a sum of fractions of a dollar would show rounding errors. */
export const NANO_DOLLARS = 1e9

/** A cost in whole nano-dollars, as it is summed and stored. */
export function toNanoDollars(usd: number): number {
  return Math.round(usd * NANO_DOLLARS)
}

export function fromNanoDollars(nano: number): number {
  return nano / NANO_DOLLARS
}

/** The sum of costs in US dollars, without rounding errors; `null` when one of them is unknown. */
export function sumCosts(costs: readonly (number | null)[]): number | null {
  let nano = 0
  for (const cost of costs) {
    if (cost === null) return null
    nano += toNanoDollars(cost)
  }
  return fromNanoDollars(nano)
}

/** A cost for people: `$12.35`, `$0.0021`; with two significant digits below a cent. `unknown` for one that is not known. */
export function formatCost(usd: number | null): string {
  if (usd === null) return 'unknown'
  if (usd === 0) return '$0'
  if (usd < 0.000_001) return '< $0.000001'
  const fractionDigits = usd >= 1 ? 2 : Math.min(6, Math.max(4, 1 - Math.floor(Math.log10(usd))))
  return usd.toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: usd >= 0.01 ? 2 : 0,
    maximumFractionDigits: fractionDigits,
  })
}
