const FORMAT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** A number for an axis: `950`, `1.2K`, `3M`. */
export function shortCount(value: number): string {
  return FORMAT.format(value)
}
