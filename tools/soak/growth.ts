import { median } from '../bench/report.ts'
import { type Figure, FIGURES, type Sample } from './figures.ts'

/** What became of a figure after the first quarter of a soak, which is its warm-up. */
export interface FigureGrowth {
  readonly figure: Figure
  /** Median of the second quarter. */
  readonly before: number
  /** Median of the last quarter. */
  readonly after: number
  /** How much more than `before` may be in the last quarter. */
  readonly allowed: number
  readonly isFlat: boolean
  /** All values, in order. */
  readonly curve: readonly number[]
}

/** The samples of a quarter without which its median says nothing. */
export const MIN_OF_QUARTER = 5

/**
 * Compares the last quarter of a soak with the second one. `undefined`: there are too few samples for that.
 * A figure that was not measured is left out.
 */
export function growthOf(samples: readonly Sample[], durationMs: number): FigureGrowth[] | undefined {
  const quarter = (index: number) =>
    samples.filter(({ at }) => at >= (durationMs / 4) * index && at < (durationMs / 4) * (index + 1))
  const [second, last] = [quarter(1), [...quarter(3), ...samples.filter(({ at }) => at >= durationMs)]]
  if (second.length < MIN_OF_QUARTER || last.length < MIN_OF_QUARTER) return undefined
  return Object.keys(FIGURES).flatMap((name) => {
    const figure = name as Figure
    const before = median(valuesOf(second, figure))
    const after = median(valuesOf(last, figure))
    if (Number.isNaN(before) || Number.isNaN(after)) return []
    const { share, least } = FIGURES[figure].growth
    const allowed = Math.max(share * before, least)
    return [
      { figure, before, after, allowed, isFlat: after - before <= allowed, curve: valuesOf(samples, figure) },
    ]
  })
}

function valuesOf(samples: readonly Sample[], figure: Figure): number[] {
  return samples.flatMap(({ figures }) => figures[figure] ?? [])
}
