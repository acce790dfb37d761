import { durationText } from '../ui/time/format-time.ts'
import type { TimeScale } from './time-scale.ts'
import { percentAt } from './ticks.ts'
import type { Tick, View } from './ticks.ts'

/** The time axis, relative to the start. */
export function Ruler({ ticks }: { readonly ticks: readonly Tick[] }) {
  return (
    <div aria-hidden="true" className="relative h-6 overflow-hidden whitespace-nowrap text-sm text-dim">
      {ticks.map(({ left, ms, text }) => (
        <span
          key={ms}
          style={{ left: `${left}%` }}
          className="absolute top-0 h-full border-l border-line pl-1 pt-1"
        >
          {text}
        </span>
      ))}
    </div>
  )
}

interface GridProps {
  readonly ticks: readonly Tick[]
  readonly scale: TimeScale
  readonly view: View
}

/** Grid lines behind the bars, and bands for collapsed time. */
export function Grid({ ticks, scale, view }: GridProps) {
  const width = view.to - view.from
  return (
    <div aria-hidden="true" className="pointer-events-none absolute inset-0 overflow-hidden">
      {ticks.map(({ left, ms }) => (
        <div key={ms} style={{ left: `${left}%` }} className="absolute inset-y-0 border-l border-line" />
      ))}
      {scale.gaps
        .filter(({ from, to }) => to > view.from && from < view.to)
        .map(({ from, to, ms }) => (
          <div
            key={from}
            style={{
              left: `${((from - view.from) / width) * 100}%`,
              width: `${((to - from) / width) * 100}%`,
            }}
            className="absolute inset-y-0 overflow-hidden border-x border-dashed border-line-strong bg-panel text-center text-sm text-dim"
          >
            <span className="[writing-mode:vertical-rl] whitespace-nowrap pt-1">{durationText(ms)}</span>
          </div>
        ))}
    </div>
  )
}

interface MomentLineProps {
  readonly at: number | undefined
  readonly scale: TimeScale
  readonly view: View
}

/** Marks the shown moment over the bars, and dims what came later. */
export function MomentLine({ at, scale, view }: MomentLineProps) {
  if (at === undefined) return null
  const left = Math.max(0, percentAt(scale, view, at))
  if (left >= 100) return null
  return (
    <div aria-hidden="true" className="pointer-events-none absolute inset-0 z-1 overflow-hidden">
      <div
        style={{ left: `${left}%` }}
        className="absolute inset-y-0 right-0 border-l-2 border-accent bg-page/60"
      />
    </div>
  )
}
