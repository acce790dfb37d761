import { percentAt } from './ticks.ts'
import type { View } from './ticks.ts'
import type { TimeScale } from './time-scale.ts'
import type { WaterfallRow } from './waterfall-row.ts'

export interface FlameBar {
  readonly row: WaterfallRow
  readonly index: number
  readonly lane: number
  /** Percent of the width. */
  readonly left: number
  readonly width: number
  readonly tone: string
  readonly colour: string | undefined
}

/** Percent of the width below which adjacent bars are indistinguishable. */
const MIN_GAP = 0.1

/** Each row as one bar, in a lane below its parent, without overlaps. */
export function flameBars(
  rows: readonly WaterfallRow[],
  { scale, view, chosen }: { scale: TimeScale; view: View; chosen: string },
): { readonly bars: readonly FlameBar[]; readonly lanes: number } {
  const ends: number[] = []
  const drawn: number[] = []
  const outer: { readonly depth: number; readonly lane: number }[] = []
  const bars: FlameBar[] = []
  for (const [index, row] of rows.entries()) {
    const start = Math.min(...row.bars.map((bar) => bar.start))
    const end = Math.max(...row.bars.map((bar) => bar.end))
    while ((outer.at(-1)?.depth ?? -1) >= row.depth) outer.pop()
    let lane = (outer.at(-1)?.lane ?? -1) + 1
    while ((ends[lane] ?? -Infinity) > start) lane++
    ends[lane] = end
    outer.push({ depth: row.depth, lane })
    const from = percentAt(scale, view, start)
    const to = percentAt(scale, view, end)
    if (to < 0 || from > 100) continue
    const isIndistinct = to - (drawn[lane] ?? -1) < MIN_GAP
    if (isIndistinct && row.key !== chosen) continue
    drawn[lane] = to
    const left = Math.max(-0.5, from)
    const { tone = '', colour } = row.bars.findLast(({ thin }) => !thin) ?? row.bars[0] ?? {}
    bars.push({ row, index, lane, left, width: Math.min(100.5, to) - left, tone, colour })
  }
  return { bars, lanes: ends.length }
}
