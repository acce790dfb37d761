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

/** Cancels executions after confirmation. Executions that have ended meanwhile are skipped. */
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
    const ended = cancelled.filter((one) => !one).length
    toasts.info(`Cancelled ${count - ended}${ended > 0 ? `; ${ended} had already ended` : ''}`)
    done()
  }
  return (
    <ReasonDialog
      title={`Cancel ${count} ${count === 1 ? 'execution' : 'executions'}?`}
      note="The executions stop immediately and cannot be resumed. Completed steps keep their results."
      verb={count === 1 ? 'Cancel execution' : 'Cancel executions'}
      danger
      run={run}
      close={close}
    />
  )
}
