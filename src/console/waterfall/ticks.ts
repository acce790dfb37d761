import type { TimeScale } from './time-scale.ts'

/** The visible part of a scale, as positions from 0 to 1. */
export interface View {
  readonly from: number
  readonly to: number
}

export const FULL_VIEW: View = { from: 0, to: 1 }

export interface Tick {
  /** Percent of the view's width. */
  readonly left: number
  /** Milliseconds since the scale's start. */
  readonly ms: number
}

/** Position of a time, in percent of the view's width. */
export function percentAt(scale: TimeScale, view: View, time: number): number {
  return ((scale.at(time) - view.from) / (view.to - view.from)) * 100
}

/** Zooms by a factor around a position from 0 to 1, within the full view. */
export function zoomView(view: View, factor: number, around = 0.5): View {
  const width = Math.min(1, Math.max(1e-6, (view.to - view.from) * factor))
  const fixed = view.from + (view.to - view.from) * around
  return panView({ from: fixed - width * around, to: fixed + width * (1 - around) }, 0)
}

/** Moves a view by a fraction of its width, within the full view. */
export function panView(view: View, by: number): View {
  const width = view.to - view.from
  const from = Math.max(0, Math.min(1 - width, view.from + by * width))
  return width === 1 ? FULL_VIEW : { from, to: from + width }
}

/** Width of a label in percent. */
const LABEL = 9
const COUNT = 8

/** Round times to mark on the axis, without overlapping labels. */
export function ticksOf(scale: TimeScale, view: View): Tick[] {
  const skipped = scale.gaps.reduce((sum, { from, to, ms }) => {
    const inView = Math.min(to, view.to) > Math.max(from, view.from)
    return sum + (inView ? ms : 0)
  }, 0)
  const first = scale.timeAt(view.from) - scale.start
  const last = scale.timeAt(view.to) - scale.start
  const step = roundStep(Math.max(0.001, (last - first - skipped) / COUNT))
  const ticks: Tick[] = []
  let ms = Math.ceil(first / step) * step
  while (ms <= last && ticks.length < 100) {
    const position = scale.at(scale.start + ms)
    const gap = scale.gaps.find(({ from, to }) => position > from && position < to)
    if (gap) {
      ms = Math.max(ms + step, Math.ceil((scale.timeAt(gap.to) - scale.start) / step) * step)
      continue
    }
    const left = ((position - view.from) / (view.to - view.from)) * 100
    if (left >= 0 && left <= 100 - LABEL / 2 && left - (ticks.at(-1)?.left ?? -LABEL) >= LABEL)
      ticks.push({ left, ms })
    ms += step
  }
  return ticks
}

const STEPS = [1, 2, 5, 10]
const LONG_STEPS = [
  1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000,
  7_200_000, 21_600_000, 43_200_000, 86_400_000,
]

/** The next round step for an interval. */
function roundStep(ms: number): number {
  if (ms >= 1000) return LONG_STEPS.find((step) => step >= ms) ?? Math.ceil(ms / 86_400_000) * 86_400_000
  const power = 10 ** Math.floor(Math.log10(ms))
  return (STEPS.find((step) => step * power >= ms) ?? 10) * power
}
