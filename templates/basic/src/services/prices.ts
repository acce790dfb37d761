import type { OrderLine } from './catalogue.ts'

const TAX_RATE = 0.2

const euros = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })

export function formatEuros(cents: number): string {
  return euros.format(cents / 100)
}

export function priceOf(lines: readonly OrderLine[]): { netCents: number; taxCents: number } {
  const netCents = lines.reduce((sum, { priceCents, quantity }) => sum + priceCents * quantity, 0)
  return { netCents, taxCents: Math.round(netCents * TAX_RATE) }
}
