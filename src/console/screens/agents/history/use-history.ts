import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useServices } from '../../../services/services-context.tsx'
import { usePolling } from '../../../api/use-polling.ts'
import type { CallOf } from '../../../api/call.ts'
import type { Run } from '../chat/session/chat-message.ts'

const POLL_MS = 5000
export const PAGE_SIZE = 50

export interface History {
  readonly runs: readonly Run[] | undefined
  readonly total: number
  readonly error: Error | null
  readonly refetch: () => void
}

/** One page of the runs of an agent. */
export function useHistory(agentId: string, filters: Readonly<Record<string, string>>): History {
  const { api } = useServices()
  const active = Object.entries(filters).filter(([, value]) => value !== '')
  const query = { ...Object.fromEntries(active), limit: String(PAGE_SIZE) }
  const { data, error, refetch } = useQuery({
    queryKey: ['listAgentHistory', agentId, 'page', query],
    queryFn: ({ signal }) => {
      const call = { params: { id: agentId }, query, signal } as CallOf<'listAgentHistory'>
      return api.request('listAgentHistory', call)
    },
    placeholderData: keepPreviousData,
  })
  usePolling(refetch, POLL_MS)
  const total = Number(data?.headers.get('x-total-count') ?? 0)
  return { runs: data?.data, total, error, refetch: () => void refetch() }
}
