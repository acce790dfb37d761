import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useAction } from '../../api/use-endpoint.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { waitKindOf } from './wait-kind.ts'

/** The button that ends a wait: wakes a sleeping execution early, or opens the form for an event or a response. */
export function WaitAction({ record }: { readonly record: ExecutionRecord }) {
  const { router, toasts } = useServices()
  const resume = useAction('resumeExecution')
  const { id, workflowId, suspension } = record
  const kind = waitKindOf(record)
  const wake = () =>
    resume.mutate(
      { params: { id: workflowId, executionId: id }, body: {} },
      { onError: (failure) => toasts.error(errorMessage(failure)) },
    )
  const { event = '', key } = suspension ?? {}
  const form = new URLSearchParams({ name: event, ...(key !== undefined && { key }) })
  if (kind === 'sleep')
    return (
      <Button size="small" onClick={wake} disabled={resume.isPending} title={`Wake ${workflowId} now`}>
        Wake now
      </Button>
    )
  if (kind === 'event')
    return (
      <Button size="small" onClick={() => void router.navigate(`events?${form.toString()}`)}>
        Send event
      </Button>
    )
  return (
    <Button size="small" onClick={() => void router.navigate(`executions/${encodeURIComponent(id)}`)}>
      Respond
    </Button>
  )
}
