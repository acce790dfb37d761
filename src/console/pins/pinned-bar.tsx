import { Link } from '../router/link.tsx'
import { StatusBadge } from '../ui/state/status-badge.tsx'
import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import type { Pin } from '../../contract/endpoints/project/pins.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useAction, useEndpoint } from '../api/use-endpoint.ts'
import { useChanges } from '../live/use-topic.ts'
import { useServices } from '../services/services-context.tsx'

interface PinAction {
  readonly name: 'Pin' | 'Unpin'
  readonly title: string
  readonly run: () => void
}

/**
 * Pins an execution, so that its step runs again on every save; unpins a pinned one. `stepId`: the selected step.
 * Undefined where the project is not served by `dev`.
 */
export function usePinAction(
  { id, error, steps }: ExecutionDetail,
  stepId: string | undefined,
): PinAction | undefined {
  const { enabled, pins, isPending, pin, unpin } = usePins()
  const isPinned = pins.some(({ executionId }) => executionId === id)
  if (!enabled || !(isPinned || steps.length > 0)) return undefined
  const run = () => {
    if (isPending) return
    if (isPinned) unpin(id)
    else pin(id, stepId ?? error?.stepId)
  }
  return isPinned
    ? { name: 'Unpin', title: 'Stop the rerun on every save', run }
    : { name: 'Pin', title: 'Rerun the step on every save', run }
}

/** All pinned executions with the status of their last replay. */
export function PinnedBar() {
  const { pins } = usePins()
  if (pins.length === 0) return null
  return (
    <section aria-label="Pinned runs" className="shrink-0 border-b border-line px-4 py-1">
      <h2 className="float-left pr-4 text-sm text-dim">Pinned</h2>
      <ul className="flex flex-wrap items-center gap-x-5 gap-y-1 text-sm">
        {pins.map(({ executionId, workflowName, stepId, status }) => (
          <li key={executionId} className="flex min-w-0 items-center gap-1.5">
            <StatusBadge status={status === 'gone' ? 'error' : status} text="" />
            <Link to={`executions/${encodeURIComponent(executionId)}`} title={executionId}>
              {workflowName}, {stepId}
            </Link>
            <span className="text-dim">{status === 'error' ? 'failed' : status}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface PinnedExecutions {
  /** Whether the server runs pins again on saves. */
  readonly enabled: boolean
  readonly pins: readonly Pin[]
  readonly isPending: boolean
  readonly pin: (executionId: string, stepId?: string) => void
  readonly unpin: (executionId: string) => void
}

/** The pinned executions of the project, updated live in all tabs. */
export function usePins(): PinnedExecutions {
  const { toasts } = useServices()
  const { data, refetch } = useEndpoint('listPins', { quiet: true })
  const pinning = useAction('pinExecution')
  const unpinning = useAction('unpinExecution')
  useChanges('pins', refetch)
  // a pin may be gone with the newest configuration, or back
  useChanges('config', refetch)
  const settled = {
    onError: (error: unknown) => toasts.error(errorMessage(error)),
    onSettled: () => void refetch(),
  }
  return {
    enabled: data?.enabled ?? false,
    pins: data?.pins ?? [],
    isPending: pinning.isPending || unpinning.isPending,
    pin: (executionId, stepId) =>
      pinning.mutate({ params: { executionId }, body: stepId === undefined ? {} : { stepId } }, settled),
    unpin: (executionId) => unpinning.mutate({ params: { executionId } }, settled),
  }
}
