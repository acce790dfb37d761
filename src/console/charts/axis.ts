/** The smallest round number that is not below a value, and whose half is round, too: 1, 2, 4, 6, 8, 10, 20 and so on. */
export function roundUp(value: number): number {
  if (value <= 0) return 0
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 6, 8].find((step) => step * power >= value) ?? 10) * power
}

/** The bars from the first one with a value, and at least `least` of them: a chart does not begin with nothing. */
export function fromFirstValue<T extends { readonly values: readonly number[] }>(
  bars: readonly T[],
  least: number,
): readonly T[] {
  const first = bars.findIndex(({ values }) => values.some((value) => value > 0))
  return first === -1 ? [] : bars.slice(Math.max(0, Math.min(first, bars.length - least)))
}
