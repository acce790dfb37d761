import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import { StatusBadge } from '../ui/state/status-badge.tsx'

export interface ExecutionStatusBadgeProps {
  readonly record: Pick<ExecutionRecord, 'status' | 'waiting'>
  /** Whether the limit and the position are shown elsewhere. */
  readonly short?: boolean
}

/** The status of an execution; of one that waits for a limit of its workflow, the limit and its position. */
export function ExecutionStatusBadge({ record, short = false }: ExecutionStatusBadgeProps) {
  const { status, waiting } = record
  if (!waiting) return <StatusBadge status={status} />
  return <StatusBadge status="suspended" text={short ? 'waiting' : `waiting: ${placeOf(waiting)}`} />
}

/** What an execution waits for: a limit, with its position, or its trial after a crash of the process. */
export function placeOf({ reason, position }: NonNullable<ExecutionRecord['waiting']>): string {
  if (reason === 'suspected') return 'suspected of a crash'
  return `${reason}, position ${position}`
}
