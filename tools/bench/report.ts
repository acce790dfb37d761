export interface Measurement {
  readonly name: string
  readonly measured: number
  readonly unit: string
  /** The target; `undefined` if the figure is only reported. */
  readonly bar?: { readonly atLeast: number } | { readonly atMost: number }
  readonly note?: string
}

export function reached({ measured, bar }: Measurement): boolean {
  if (!bar) return true
  return 'atLeast' in bar ? measured >= bar.atLeast : measured <= bar.atMost
}

/** One line per measurement: its name, the figure and the target. */
export function formatReport(measurements: readonly Measurement[]): string {
  const rows = measurements.map((one) => [
    one.name,
    `${round(one.measured)} ${one.unit}`.trim(),
    barText(one),
    reached(one) ? 'ok' : 'MISSED',
    one.note ?? '',
  ])
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function barText({ bar, unit }: Measurement): string {
  if (!bar) return ''
  return 'atLeast' in bar ? `≥ ${bar.atLeast} ${unit}`.trim() : `≤ ${bar.atMost} ${unit}`.trim()
}

function round(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2)
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
