import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { RegisteredId, RegisteredInput, RegisteredResult } from '../calls/register.ts'
import type { ExecuteCallOptions } from '../client/workflow-client.ts'
import { usePageStores } from './provider.ts'
import { useExecution } from './use-execution.ts'
import type { ExecutionHandle } from './use-execution.ts'

/** Options of `useWorkflow`. */
export interface UseWorkflowOptions {
  /** Separates several uses of one workflow below a provider. Default: they show the same execution. */
  readonly key?: string
  /** An execution to follow until one is started, such as one from the address of the page. */
  readonly executionId?: string | undefined
}

/** A workflow, and the execution of it that was started last. */
export interface WorkflowHandle<Input, Result> extends ExecutionHandle<Result> {
  /** `undefined` before the first start. */
  readonly executionId: string | undefined
  /**
   * Starts an execution and follows it. Resolves with its id as soon as it is stored.
   *
   * @throws ApiError 400 for input that does not fit, 404 for an unknown workflow
   */
  readonly start: (input: Input, options?: ExecuteCallOptions) => Promise<string>
  /** Stops to follow the execution, which continues. */
  readonly reset: () => void
}

const nothing = () => NOTHING
const NOTHING = { executionId: undefined }

/**
 * Starts executions of a workflow, and follows the last one. It is followed on after a lost connection, and when the component
 * is mounted again below the same provider. Ids, inputs and results are those of the configuration in `Register`.
 *
 * @example
 * const order = useWorkflow('order')
 * <button onClick={() => order.start({ amount: 5 })}>Buy</button>
 * {order.status === 'completed' && <p>{order.result?.paid}</p>}
 */
export function useWorkflow<Id extends RegisteredId>(
  workflowId: Id,
  { key = '', executionId: given }: UseWorkflowOptions = {},
): WorkflowHandle<RegisteredInput<Id>, RegisteredResult<Id>> {
  const stores = usePageStores()
  const started = stores.started(workflowId, key)
  const { executionId = given } = useSyncExternalStore(started.subscribe, started.get, nothing)
  const execution = useExecution({ workflowId, executionId })
  const start = useCallback(
    async (input: RegisteredInput<Id>, options?: ExecuteCallOptions) => {
      const { id } = await stores.client.workflow(workflowId).start(input, options)
      started.use(id)
      return id
    },
    [stores, started, workflowId],
  )
  const reset = useCallback(() => started.use(undefined), [started])
  return useMemo(() => ({ ...execution, executionId, start, reset }), [execution, executionId, start, reset])
}
