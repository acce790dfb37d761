import { EVERY_STEP } from '../../contract/breakpoints/breakpoint.ts'
import { countText } from '../ui/time/format-time.ts'
import type { Breakpoints } from './use-breakpoints.ts'

/** The breakpoints with which the next run starts. */
export function BreakpointBar({ breakpoints: { ids, toggle } }: { readonly breakpoints: Breakpoints }) {
  const count = ids.size - Number(ids.has(EVERY_STEP))
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-4 border-b border-line px-4 py-1 text-sm">
      <label className="flex min-h-6 items-center gap-1.5">
        <input type="checkbox" checked={ids.has(EVERY_STEP)} onChange={() => toggle(EVERY_STEP)} />
        Pause before every step
      </label>
      <span className="text-dim" role="status">
        {count === 0
          ? 'Press b on a step, or click beside it, to set a breakpoint'
          : `${countText(count)} ${count === 1 ? 'breakpoint' : 'breakpoints'}`}
      </span>
    </div>
  )
}
