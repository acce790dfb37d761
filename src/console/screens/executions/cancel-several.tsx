import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { ApiError } from '../../../client/api-error.ts'
import { useServices } from '../../services/services-context.tsx'
import { ReasonDialog } from '../../ui/dialog/reason-dialog.tsx'
import { mapConcurrently } from './map-concurrently.ts'

export interface CancelSeveralProps {
  readonly executions: readonly ExecutionRecord[]
  readonly done: () => void
  readonly close: () => void
}

/** Cancels executions, after asking. Those that ended meanwhile are left as they are. */
export function CancelSeveral({ executions, done, close }: CancelSeveralProps) {
  const { api, toasts } = useServices()
  const count = executions.length
  const run = async (reason: string) => {
    const body = reason === '' ? {} : { reason }
    const cancelled = await mapConcurrently(executions, async ({ id, workflowId }) => {
      try {
        await api.call('cancelExecution', { params: { id: workflowId, executionId: id }, body })
        return true
      } catch (error) {
        if (error instanceof ApiError && error.status === 400) return false
        throw error
      }
    })
    const over = cancelled.filter((one) => !one).length
    toasts.info(`Cancelled ${count - over}${over > 0 ? `; ${over} had ended already` : ''}`)
    done()
  }
  return (
    <ReasonDialog
      title={`Cancel ${count === 1 ? 'an execution' : `${count} executions`}?`}
      note="They stop at once and can't go on. Steps that have completed stay completed."
      verb="Cancel them"
      danger
      run={run}
      close={close}
    />
  )
}
