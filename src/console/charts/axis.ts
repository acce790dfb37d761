/** The smallest round number that is not below a value, and whose half is round, too: 1, 2, 4, 6, 8, 10, 20 and so on. */
export function roundUp(value: number): number {
  if (value <= 0) return 0
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 4, 6, 8].find((one) => one * power >= value) ?? 10
  // without the rest of a product such as 6 * 0.1
  return Number((step * power).toPrecision(1))
}

/** The bars from the first one with a value, and at least `least` of them: a chart does not begin with nothing. */
export function fromFirstValue<T extends { readonly values: readonly number[] }>(
  bars: readonly T[],
  least: number,
): readonly T[] {
  const first = bars.findIndex(({ values }) => values.some((value) => value > 0))
  return first === -1 ? [] : bars.slice(Math.max(0, Math.min(first, bars.length - least)))
}
