import type { ToolApproval } from '../../contract/agent-event.ts'
import { ApiError } from '../../client/api-error.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useAction } from '../api/use-endpoint.ts'
import { useServices } from '../services/services-context.tsx'

/** The run that waits for approvals. */
export interface RunAddress {
  readonly agentId: string
  readonly runId: string
}

interface DecisionBody {
  readonly approved: boolean
  /** Edited arguments, or the data of a form. */
  readonly input?: unknown
  readonly reason?: string
}

/** Sends the decision about an approval. */
export interface Decision {
  readonly decide: (body: DecisionBody) => void
  readonly isPending: boolean
  /** Message of a 400 response, about the input. */
  readonly validationMessage: string | undefined
}

/** The decision about an approval of a run. The run has continued when `onDecided` is called. */
export function useDecision(
  { approvalId }: ToolApproval,
  { agentId, runId }: RunAddress,
  onDecided?: () => void,
): Decision {
  const { queries, toasts } = useServices()
  const { mutate, isPending, error } = useAction('decideApprovals')
  const isRefusal = error instanceof ApiError && error.status === 400
  return {
    isPending,
    validationMessage: isRefusal ? error.message : undefined,
    decide: (body) =>
      mutate(
        { params: { id: agentId, runId }, body: { approvals: [{ approvalId, ...body }] } },
        {
          onError: (failure) => {
            if (!(failure instanceof ApiError) || failure.status !== 400) toasts.error(errorMessage(failure))
          },
          onSettled: (_, failure) => {
            if (failure instanceof ApiError && failure.status === 400) return
            for (const key of ['listApprovals', 'getActivity', 'listAgentHistory'])
              void queries.invalidateQueries({ queryKey: [key] })
            onDecided?.()
          },
        },
      ),
  }
}
