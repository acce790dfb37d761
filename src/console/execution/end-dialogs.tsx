import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import { useAction } from '../api/use-endpoint.ts'
import { useServices } from '../services/services-context.tsx'
import { ReasonDialog } from '../ui/dialog/reason-dialog.tsx'

export interface EndDialogProps {
  readonly record: ExecutionDetail
  readonly refetch: () => void
  readonly close: () => void
}

/** Cancels an execution, or, while its steps are compensated, leaves the compensations. */
export function CancelDialog({ record, refetch, close }: EndDialogProps) {
  const { toasts } = useServices()
  const { mutateAsync } = useAction('cancelExecution')
  const force = record.compensating !== undefined
  const run = async (reason: string) => {
    const body = { ...(reason !== '' && { reason }), ...(force && { force }) }
    const { status } = await mutateAsync({ params: paramsOf(record), body })
    toasts.info(status === 'cancelled' ? 'Run cancelled' : 'The compensations take long; they go on')
    refetch()
  }
  return (
    <ReasonDialog
      title={force ? `Leave the compensations of ${record.workflowName}?` : `Cancel ${record.workflowName}?`}
      note={
        force
          ? 'The run ends immediately. What the compensations have not undone yet stays as it is.'
          : 'The run stops immediately and cannot be resumed. Completed steps that have a compensation are undone; others keep their results.'
      }
      verb={force ? 'Leave compensations' : 'Cancel run'}
      danger
      run={run}
      close={close}
    />
  )
}

export function SuspendDialog({ record, refetch, close }: EndDialogProps) {
  const { toasts } = useServices()
  const { mutateAsync } = useAction('suspendExecution')
  const run = async (reason: string) => {
    // the response comes when the running step has ended, which may take long
    const request = mutateAsync({ params: paramsOf(record), body: reason === '' ? {} : { reason } })
    const response = await Promise.race([request, shortDelay()])
    toasts.info(response?.status === 'suspended' ? 'Run suspended' : 'The run suspends before its next step')
    request.then(refetch, (error: Error) => toasts.error(error.message))
  }
  return (
    <ReasonDialog
      title={`Suspend ${record.workflowName}?`}
      note="The run is suspended before its next step, until it is resumed."
      verb="Suspend run"
      run={run}
      close={close}
    />
  )
}

const DELAY_MS = 1500

function shortDelay(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), DELAY_MS))
}

function paramsOf({ workflowId, id }: ExecutionDetail) {
  return { id: workflowId, executionId: id }
}
