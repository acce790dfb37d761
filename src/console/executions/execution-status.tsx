import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import { Icon } from '../ui/icon.tsx'
import { StatusBadge } from '../ui/state/status-badge.tsx'

const CAUSES = { error: 'its error', timeout: 'its timeout', cancelled: 'its cancel' } as const
const COMPENSATIONS = { completed: 'compensated', failed: 'compensation failed' } as const

export interface ExecutionStatusBadgeProps {
  readonly record: Pick<ExecutionRecord, 'status' | 'waiting' | 'compensating' | 'compensation'>
  /** Whether the limit and the position are shown elsewhere, and there is little room. */
  readonly short?: boolean
}

/**
 * The status of an execution; of one that waits for a limit of its workflow, the limit and its position; of one whose steps
 * are or were compensated, that.
 */
export function ExecutionStatusBadge({ record, short = false }: ExecutionStatusBadgeProps) {
  const { status, waiting, compensating, compensation } = record
  if (compensating) {
    const text = short ? 'compensating' : `compensating after ${CAUSES[compensating.reason]}`
    return <StatusBadge status={status} text={text} />
  }
  if (compensation)
    return (
      <span className="inline-flex items-center gap-x-3 align-middle">
        <StatusBadge status={status} />
        <CompensationBadge compensation={compensation} short={short} />
      </span>
    )
  if (!waiting) return <StatusBadge status={status} />
  return <StatusBadge status="suspended" text={short ? 'waiting' : `waiting: ${placeOf(waiting)}`} />
}

/** How the compensations of an execution have ended; in a narrow place an icon, with the words for pointers and screen readers. */
function CompensationBadge({
  compensation,
  short,
}: {
  readonly compensation: NonNullable<ExecutionRecord['compensation']>
  readonly short: boolean
}) {
  const text = COMPENSATIONS[compensation]
  if (!short) return <StatusBadge status={compensation === 'failed' ? 'error' : 'completed'} text={text} />
  return (
    <span role="img" aria-label={text} title={text}>
      <Icon name="undo" className={compensation === 'failed' ? 'text-error' : 'text-dim'} />
    </span>
  )
}

/** What an execution waits for: a limit, with its position, or its trial after a crash of the process. */
export function placeOf({ reason, position }: NonNullable<ExecutionRecord['waiting']>): string {
  if (reason === 'suspected') return 'suspected of a crash'
  return `${reason}, position ${position}`
}
