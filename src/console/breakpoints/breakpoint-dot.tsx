import { EVERY_STEP } from '../../contract/breakpoints/breakpoint.ts'
import { countText } from '../ui/time/format-time.ts'
import type { Breakpoints } from './use-breakpoints.ts'

/** Marks a step with a breakpoint; a click toggles it. The step's list item has it as text. */
export function BreakpointDot({ isSet }: { readonly isSet: boolean }) {
  return (
    <span
      data-breakpoint=""
      aria-hidden="true"
      title={isSet ? 'Remove breakpoint' : 'Set breakpoint'}
      className="group/dot flex size-5 shrink-0 cursor-pointer items-center justify-center"
    >
      <span
        className={`size-2.5 rounded-full border border-error ${isSet ? 'bg-error' : 'opacity-0 group-hover/dot:opacity-60'}`}
      />
    </span>
  )
}

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
