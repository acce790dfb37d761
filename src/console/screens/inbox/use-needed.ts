import { useEffect } from 'react'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import type { DataOf } from '../../api/call.ts'
import { useEndpoint, usePolling } from '../../api/use-endpoint.ts'
import { useUsage } from '../../usage/use-usage.ts'

interface Listed<Item> {
  readonly data: readonly Item[] | undefined
  readonly error: unknown
  readonly refetch: () => void
}

type NeededCall = {
  readonly query: { readonly limit: string; readonly status?: 'error'; readonly needsInput?: 'true' }
}

/**
 * Executions without those of a parent, which suspend and fail with it. Refetched when anything of the usage changes:
 * where one ends and another begins to wait between two looks, the counts are the same.
 */
export function useNeeded(call: NeededCall): Listed<ExecutionRecord> {
  const { usage } = useUsage()
  const { data, error, refetch } = useEndpoint('observeExecutions', call)
  useEffect(() => void refetch(), [usage, refetch])
  const needed = data?.filter(({ parentExecutionId }) => parentExecutionId === undefined)
  return { data: needed, error, refetch: () => void refetch() }
}

const POLL_MS = 2000
const APPROVALS = { query: { limit: '50' } } as const

/** The oldest pending approvals. Refetched with the usage, and every two seconds: agent runs have no live topic. */
export function useApprovals(): Listed<DataOf<'listApprovals'>[number]> {
  const { usage } = useUsage()
  const { data, error, refetch } = useEndpoint('listApprovals', APPROVALS)
  useEffect(() => void refetch(), [usage, refetch])
  usePolling(refetch, POLL_MS)
  return { data, error, refetch: () => void refetch() }
}
