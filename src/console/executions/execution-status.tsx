import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import { StatusBadge } from '../ui/state/status-badge.tsx'

const CAUSES = { error: 'its error', timeout: 'its timeout', cancelled: 'its cancel' } as const
const COMPENSATIONS = { completed: 'compensated', failed: 'compensation failed' } as const

export interface ExecutionStatusBadgeProps {
  readonly record: Pick<ExecutionRecord, 'status' | 'waiting' | 'compensating' | 'compensation'>
  /** Whether the limit and the position are shown elsewhere. */
  readonly short?: boolean
}

/**
 * The status of an execution; of one that waits for a limit of its workflow, the limit and its position; of one whose steps
 * are or were compensated, that.
 */
export function ExecutionStatusBadge({ record, short = false }: ExecutionStatusBadgeProps) {
  const { status, waiting, compensating, compensation } = record
  if (compensating)
    return <StatusBadge status={status} text={`compensating after ${CAUSES[compensating.reason]}`} />
  if (compensation)
    return (
      <span className="inline-flex flex-wrap gap-x-3">
        <StatusBadge status={status} />
        <StatusBadge
          status={compensation === 'failed' ? 'error' : 'completed'}
          text={COMPENSATIONS[compensation]}
        />
      </span>
    )
  if (!waiting) return <StatusBadge status={status} />
  return <StatusBadge status="suspended" text={short ? 'waiting' : `waiting: ${placeOf(waiting)}`} />
}

/** What an execution waits for: a limit, with its position, or its trial after a crash of the process. */
export function placeOf({ reason, position }: NonNullable<ExecutionRecord['waiting']>): string {
  if (reason === 'suspected') return 'suspected of a crash'
  return `${reason}, position ${position}`
}
