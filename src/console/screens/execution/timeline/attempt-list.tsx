import { durationText, exactTime } from '../../../ui/time/format-time.ts'
import { StatusBadge } from '../../../ui/state/status-badge.tsx'
import type { Attempt } from '../../../../contract/fold-events.ts'

/** The attempts of a step, with status and duration. */
export function AttemptList({ attempts }: { readonly attempts: readonly Attempt[] }) {
  return (
    <ol className="flex flex-col gap-1">
      {attempts.map(({ number, start, end, status, error }) => (
        <li key={start} className="flex flex-wrap items-center gap-x-3">
          <span className="w-4 text-right text-dim">{number}</span>
          <StatusBadge status={status} />
          <span className="text-dim" title={exactTime(start)}>
            {end === undefined ? '' : durationText(end - start)}
          </span>
          {error && (
            <span className="min-w-0 break-words text-error">{`${error.name}: ${error.message}`}</span>
          )}
        </li>
      ))}
    </ol>
  )
}
