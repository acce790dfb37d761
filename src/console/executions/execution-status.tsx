import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import { StatusBadge } from '../ui/state/status-badge.tsx'

/** The status of an execution; of one that waits for a limit of its workflow, the limit and its position. */
export function ExecutionStatusBadge({
  record,
}: {
  readonly record: Pick<ExecutionRecord, 'status' | 'waiting'>
}) {
  const { status, waiting } = record
  if (!waiting) return <StatusBadge status={status} />
  return <StatusBadge status="suspended" text={`waiting: ${waiting.reason}, position ${waiting.position}`} />
}
