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
