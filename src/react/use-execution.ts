import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { DataOf } from '../client/call.ts'
import type { ResumeCallOptions } from '../client/workflow-client.ts'
import type { RegisteredId, RegisteredResult } from '../calls/register.ts'
import { NO_EXECUTION } from './followed-execution.ts'
import type { ExecutionView } from './followed-execution.ts'
import { usePageStores } from './provider.ts'

type Resumed = DataOf<'resumeExecution'>
type Cancelled = DataOf<'cancelExecution'>

/** An execution, and what can be done with it. */
export interface ExecutionHandle<Result> extends ExecutionView<Result> {
  /**
   * Resumes the suspended execution. Resolves when it has settled again.
   *
   * @throws ApiError 400 for data that does not fit, 404 when it does not wait
   */
  readonly resume: (resumeData?: unknown, options?: ResumeCallOptions) => Promise<Resumed>
  /** Cancels the execution. @throws ApiError */
  readonly cancel: (reason?: string) => Promise<Cancelled>
}

/** Options of `useExecution`. */
export interface UseExecutionOptions<Id extends string = string> {
  /** Id of the workflow. */
  readonly workflowId: Id
  /** `undefined`: nothing is followed. */
  readonly executionId: string | undefined
}

const none = (): (() => void) => () => undefined
const empty = () => NO_EXECUTION

/**
 * Follows an execution, from its first event on. Its stream resumes after a lost connection and a new mount. Components that
 * follow the same execution share one stream.
 *
 * @example
 * const { status, result, suspension, resume } = useExecution({ workflowId: 'order', executionId })
 */
export function useExecution<Id extends RegisteredId>({
  workflowId,
  executionId,
}: UseExecutionOptions<Id>): ExecutionHandle<RegisteredResult<Id>> {
  const stores = usePageStores()
  const store = executionId === undefined ? undefined : stores.execution(workflowId, executionId)
  const state = useSyncExternalStore(store?.subscribe ?? none, store?.get ?? empty, empty)
  const resume = useCallback<ExecutionHandle<unknown>['resume']>(
    async (resumeData, options) =>
      stores.client.workflow(workflowId).execution(requireId(executionId)).resume(resumeData, options),
    [stores, workflowId, executionId],
  )
  const cancel = useCallback<ExecutionHandle<unknown>['cancel']>(
    async (reason) => {
      const execution = stores.client.workflow(workflowId).execution(requireId(executionId))
      return execution.cancel(reason === undefined ? {} : { reason })
    },
    [stores, workflowId, executionId],
  )
  return useMemo(() => ({ ...state, resume, cancel }), [state, resume, cancel])
}

function requireId(executionId: string | undefined): string {
  if (executionId === undefined) throw new Error('There is no execution yet')
  return executionId
}
