import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { AgentDetail } from '../../../../../contract/endpoints/agent.ts'
import { useServices } from '../../../../services/services-context.tsx'
import { usePolling } from '../../../../api/use-polling.ts'
import type { Conversation } from './conversations.ts'
import { listedConversations } from './conversations.ts'
import type { RecentRuns } from './use-recent-runs.ts'

const STEP = 50
const MAX_CONVERSATIONS = 200
const POLL_MS = 15_000

export interface ListedConversations {
  readonly conversations: readonly Conversation[]
  readonly error: Error | null
  /** Loads older conversations; undefined when there are none. */
  readonly more: (() => void) | undefined
}

/**
 * The conversations with an agent, of all users, as the console class may read them. `search` are words in the title.
 */
export function useConversations(agent: AgentDetail, recent: RecentRuns, search = ''): ListedConversations {
  const { api } = useServices()
  const [count, setCount] = useState(STEP)
  const { data, error, refetch } = useQuery({
    queryKey: ['listAllConversations', agent.id, search, count],
    queryFn: ({ signal }) =>
      api.request('listAllConversations', {
        query: { agentId: agent.id, search: search === '' ? undefined : search, limit: String(count) },
        signal,
      }),
    enabled: agent.memory,
    placeholderData: keepPreviousData,
  })
  usePolling(refetch, POLL_MS)
  const total = Number(data?.headers.get('x-total-count') ?? 0)
  const stored = data?.data
  const hasMore = total > (stored?.length ?? 0)
  const conversations = useMemo(
    () => listedConversations(stored ?? [], recent.runs, { search, hasMore }),
    [stored, recent.runs, search, hasMore],
  )
  const canMore = hasMore && count < MAX_CONVERSATIONS
  return {
    conversations,
    error,
    more: agent.memory
      ? canMore
        ? () => setCount(Math.min(MAX_CONVERSATIONS, count * 2))
        : undefined
      : recent.more,
  }
}
