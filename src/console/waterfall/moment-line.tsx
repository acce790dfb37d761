import { percentAt } from './ticks.ts'
import type { View } from './ticks.ts'
import type { TimeScale } from './time-scale.ts'

export interface MomentLineProps {
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
