import type { Pin } from '../../contract/endpoints/project/pins.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useAction, useEndpoint } from '../api/use-endpoint.ts'
import { useChanges } from '../live/use-topic.ts'
import { useServices } from '../services/services-context.tsx'

export interface PinnedExecutions {
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
  useChanges('pins', () => void refetch())
  // a pin may be gone with the newest configuration, or back
  useChanges('config', () => void refetch())
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
