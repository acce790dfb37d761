import { ApiError } from '../../client/api-error.ts'
import type { Api } from '../api/api.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useMutation } from '@tanstack/react-query'
import type { PendingCall } from '../../contract/pending-call.ts'
import { useServices } from '../services/services-context.tsx'
import { Undone } from './held-decisions.ts'

/** The run that waits for approvals. */
export interface RunAddress {
  readonly agentId: string
  readonly runId: string
}

/** Sends a response to an approval of a run. Rejects if it is refused. */
export type SendDecision = (
  runId: string,
  response: DecisionBody & { readonly approvalId: string },
  /** The path of a wait that is resumed instead. */
  wait?: string,
) => Promise<unknown>

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
  /** Message of any other failure. */
  readonly failure: string | undefined
}

export interface DecisionOptions {
  /** Default: a request that is answered when the run has continued to its end. */
  readonly send?: SendDecision | undefined
  readonly onDecided?: (() => void) | undefined
}

/** The decision about an approval of a run. */
export function useDecision(
  { approvalId, wait }: PendingCall,
  { agentId, runId }: RunAddress,
  { send, onDecided }: DecisionOptions,
): Decision {
  const { api, queries, toasts } = useServices()
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: (body: DecisionBody) =>
      (send ?? decisionSender(api, agentId))(runId, { approvalId, ...body }, wait?.path),
    // of the mutation, not of its call: it is called after the panel has gone, too
    onSettled: (_, failure) => {
      // it can be repeated; otherwise it was decided elsewhere, and the panel goes
      if (failure && !isConflict(failure)) return
      if (failure) toasts.error(errorMessage(failure))
      for (const key of ['listApprovals', 'getActivity', 'listAgentHistory'])
        void queries.invalidateQueries({ queryKey: [key] })
      onDecided?.()
    },
  })
  const isRefusal = error instanceof ApiError && error.status === 400
  return {
    // until the list no longer has it
    isPending: isPending || isSuccess,
    validationMessage: isRefusal ? error.message : undefined,
    failure: error && !isRefusal && !(error instanceof Undone) ? errorMessage(error) : undefined,
    decide: (body) => mutate(body),
  }
}

/** Sends decisions to the runs of an agent, which continue although the client disconnects. */
export function decisionSender(api: Api, agentId: string, keepalive = false): SendDecision {
  return (runId, response, path) => {
    const params = { id: agentId, runId }
    return path === undefined
      ? api.call('decideApprovals', { params, body: { approvals: [response] }, keepalive })
      : api.call('resumeWaitingRun', {
          params,
          body: { stepId: path, resumeData: response.input },
          keepalive,
        })
  }
}

/** Whether it was decided elsewhere. */
export function isConflict(error: Error): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 409)
}
