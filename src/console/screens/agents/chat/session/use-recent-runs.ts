import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useServices } from '../../../../services/services-context.tsx'
import { usePolling } from '../../../../api/use-polling.ts'
import type { Run } from './chat-message.ts'

const STEP = 50
const MAX_RUNS = 200
const POLL_MS = 15_000

export interface RecentRuns {
  readonly runs: readonly Run[]
  readonly refetch: () => void
  /** Loads older runs; undefined when there are none. */
  readonly more: (() => void) | undefined
}

/** The newest runs of an agent, from which its conversations are listed. */
export function useRecentRuns(agentId: string): RecentRuns {
  const { api } = useServices()
  const [count, setCount] = useState(STEP)
  const { data, refetch } = useQuery({
    queryKey: ['listAgentHistory', agentId, 'recent', count],
    queryFn: ({ signal }) =>
      api.request('listAgentHistory', { params: { id: agentId }, query: { limit: String(count) }, signal }),
    placeholderData: keepPreviousData,
  })
  usePolling(refetch, POLL_MS)
  const total = Number(data?.headers.get('x-total-count') ?? 0)
  const canMore = count < MAX_RUNS && total > count
  return {
    runs: data?.data ?? [],
    refetch: () => void refetch(),
    more: canMore ? () => setCount(Math.min(MAX_RUNS, count * 2)) : undefined,
  }
}
