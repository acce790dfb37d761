import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import { Icon } from '../ui/icon.tsx'
import { StatusBadge } from '../ui/state/status-badge.tsx'
import { shortJson } from '../json/parse-json.ts'
import { escapeHidden } from '../ui/escape-text.ts'

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

/** One line about an execution: whether a pin made it, and its error, what it waits for, or its output or input. */
export function ExecutionSummary({ record }: { readonly record: ExecutionRecord }) {
  return (
    <>
      {record.forkedFrom?.pinned && <span className="text-dim">pinned replay · </span>}
      <Outcome record={record} />
    </>
  )
}

function Outcome({ record }: { readonly record: ExecutionRecord }) {
  const { status, error, suspension, waiting, output, input, omitted } = record
  if (error) return <span className="text-error">{escapeHidden(`${error.name}: ${error.message}`)}</span>
  if (suspension && status === 'suspended')
    return <>{escapeHidden(`${suspension.stepId}: ${suspension.reason}`)}</>
  if (waiting) return <>{placeOf(waiting)}</>
  if (omitted?.includes(output === undefined && status !== 'completed' ? 'input' : 'output'))
    return <span className="text-dim">too large for the list</span>
  return <span className="font-mono text-sm text-dim">{shortJson(output ?? input)}</span>
}
