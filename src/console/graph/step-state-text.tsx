import { Icon } from '../ui/icon.tsx'
import { StatusBadge } from '../ui/state/status-badge.tsx'
import { countText } from '../ui/time/format-time.ts'
import { Duration } from '../ui/time/time.tsx'
import { isPartlyFailed, progressText } from './step-states.ts'
import type { StepState } from './step-states.ts'

/** Progress, failed items, duration and status of a step, in the graph and in the outline. */
export function StepStateText({ state }: { readonly state: StepState }) {
  const { status, progress, failed, durationMs } = state
  if (failed !== undefined && isPartlyFailed(state))
    return (
      <span className="flex shrink-0 items-center gap-1.5 text-sm">
        <span className="text-error">{failedText(failed, progress?.total)}</span>
        <Icon name="error" className="text-suspended" />
        <span className="sr-only">completed</span>
      </span>
    )
  return (
    <span className="flex shrink-0 items-center gap-1.5 text-sm">
      {progress && <span className="text-dim">{progressText(progress)}</span>}
      {failed !== undefined && <span className="text-error">{failedText(failed)}</span>}
      {status === 'completed' && durationMs !== null && (
        <span className="text-dim">
          <Duration ms={durationMs} />
        </span>
      )}
      <StatusBadge status={status} {...((status === 'completed' || failed !== undefined) && { text: '' })} />
      {status === 'completed' && <span className="sr-only">completed</span>}
    </span>
  )
}

function failedText(failed: number, total?: number): string {
  return total === undefined
    ? `${countText(failed)} failed`
    : `${countText(failed)} of ${countText(total)} failed`
}
