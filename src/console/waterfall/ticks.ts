import { durationText } from '../ui/time/format-time.ts'
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
  readonly text: string
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

/** Pixels of a character of a label, and around it. */
const CHARACTER = 7
const SPACE = 12
/** Pixels between two labels, about. */
const INTERVAL = 90
const MAX_TICKS = 100

/**
 * Round times to mark on an axis of `width` pixels, without overlapping labels. After a collapsed gap the first label
 * is the time since the start, and those after it are offsets from there, as `+200 ms`.
 */
export function ticksOf(scale: TimeScale, view: View, width: number): Tick[] {
  const inView = scale.gaps.filter(({ from, to }) => Math.min(to, view.to) > Math.max(from, view.from))
  const skipped = inView.reduce((sum, { ms }) => sum + ms, 0)
  const shown = scale.timeAt(view.to) - scale.timeAt(view.from) - skipped
  const step = roundStep(Math.max(0.001, shown / Math.max(1, width / INTERVAL)))
  const ticks: Tick[] = []
  const pixelAt = (position: number) => ((position - view.from) / (view.to - view.from)) * width
  let free = 0
  const parts = busyParts(scale)
  for (const [index, { from, to, origin }] of parts.entries()) {
    const start = Math.max(from, view.from)
    const end = Math.min(to, view.to)
    if (start > end) continue
    const last = scale.timeAt(end) - origin
    let offset = Math.max(0, Math.ceil((scale.timeAt(start) - origin) / step - 1e-9) * step)
    for (; offset <= last && ticks.length < MAX_TICKS; offset += step) {
      const position = offset === 0 ? from : scale.at(origin + offset)
      const x = pixelAt(position)
      const text = labelOf(origin - scale.start, offset)
      const room = text.length * CHARACTER + SPACE
      // the label at the end of the gap that follows comes first
      const next = parts[index + 1]
      const limit = offset === 0 || !next ? width : Math.min(width, pixelAt(next.from) - SPACE)
      if (x < free || x + room - SPACE > limit) continue
      ticks.push({ left: (x / width) * 100, ms: origin - scale.start + offset, text })
      free = x + room
    }
  }
  return ticks
}

/** The parts between the collapsed gaps, and the time at which each begins. */
function busyParts(scale: TimeScale): { from: number; to: number; origin: number }[] {
  const starts = [{ from: 0, origin: scale.start }].concat(
    scale.gaps.map(({ to, end }) => ({ from: to, origin: end })),
  )
  return starts.map((part, index) => ({ ...part, to: scale.gaps[index]?.from ?? 1 }))
}

function labelOf(origin: number, offset: number): string {
  if (offset === 0) return origin === 0 ? '0' : durationText(origin)
  return origin === 0 ? durationText(offset) : `+${durationText(offset)}`
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
