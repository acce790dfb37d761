import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import { useAction } from '../api/use-endpoint.ts'
import { useServices } from '../services/services-context.tsx'
import { ReasonDialog } from '../ui/dialog/reason-dialog.tsx'

export interface EndDialogProps {
  readonly record: ExecutionDetail
  readonly refetch: () => void
  readonly close: () => void
}

export function CancelDialog({ record, refetch, close }: EndDialogProps) {
  const { toasts } = useServices()
  const { mutateAsync } = useAction('cancelExecution')
  const run = async (reason: string) => {
    await mutateAsync({ params: paramsOf(record), body: reason === '' ? {} : { reason } })
    toasts.info('Cancelled')
    refetch()
  }
  return (
    <ReasonDialog
      title={`Cancel ${record.workflowName}?`}
      note="It stops at once and can't go on. Steps that have completed stay completed."
      verb="Cancel it"
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
    // the answer comes when the step that runs has ended, which may take its time
    const asked = mutateAsync({ params: paramsOf(record), body: reason === '' ? {} : { reason } })
    const answer = await Promise.race([asked, soon()])
    toasts.info(answer?.status === 'suspended' ? 'Suspended' : 'It will suspend before its next step')
    asked.then(refetch, (error: Error) => toasts.error(error.message))
  }
  return (
    <ReasonDialog
      title={`Suspend ${record.workflowName}?`}
      note="It parks before its next step, until it is resumed."
      verb="Suspend it"
      run={run}
      close={close}
    />
  )
}

const SOON_MS = 1500

function soon(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), SOON_MS))
}

function paramsOf({ workflowId, id }: ExecutionDetail) {
  return { id: workflowId, executionId: id }
}
