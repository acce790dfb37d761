import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { useResume } from '../../execution/use-resume.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { waitKindOf } from './wait-kind.ts'

export interface WaitActionProps {
  readonly record: ExecutionRecord
}

/**
 * The button that ends a wait: wakes a sleeping execution early, or opens the form for an event or a response. How the
 * wait ended, when it has.
 */
export function WaitAction({ record }: WaitActionProps) {
  const { router } = useServices()
  const { id, status, suspension } = record
  if (status !== 'suspended')
    return status === 'cancelled' ? (
      <StatusBadge status={status} />
    ) : (
      <StatusBadge status="ok" text="Resumed" />
    )
  const kind = waitKindOf(record)
  if (kind === 'sleep') return <Wake record={record} />
  if (kind === 'event') {
    const { event = '', key } = suspension ?? {}
    const form = new URLSearchParams({ name: event, ...(key !== undefined && { key }) })
    return (
      <Button size="small" onClick={() => void router.navigate(`events?${form.toString()}`)}>
        Send event
      </Button>
    )
  }
  return (
    <Button size="small" onClick={() => void router.navigate(`executions/${encodeURIComponent(id)}`)}>
      Respond
    </Button>
  )
}

function Wake({ record }: WaitActionProps) {
  const { resume, isSent } = useResume(record)
  return (
    <Button size="small" onClick={() => resume({})} disabled={isSent} title={`Wake ${record.workflowId} now`}>
      Wake now
    </Button>
  )
}
