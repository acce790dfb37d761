import { useMemo, useState } from 'react'
import type { AgentDetail } from '../../../../../contract/endpoints/agent.ts'
import { listedConversations } from './conversations.ts'
import type { Conversation } from './conversations.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useServices } from '../../../../services/services-context.tsx'
import { useThrottled } from '../../../../live/use-throttled.ts'
import { useTopic } from '../../../../live/use-topic.ts'
import type { Frame } from '../../../../live/live-connection.ts'
import { usePolling } from '../../../../api/use-endpoint.ts'
import type { Run } from './chat-message.ts'

const STEP = 50
const MAX_RUNS = 200
const POLL_MS = 15_000
const SETTLE_MS = 500

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
  // runs of other pages and clients; their records may be stored a moment after the call
  const refetchSoon = useThrottled(() => void refetch(), SETTLE_MS)
  useTopic('calls', {
    onFrame: (frame) => {
      if (isCallOf(frame, agentId)) refetchSoon()
    },
    onResync: refetchSoon,
  })
  const total = Number(data?.headers.get('x-total-count') ?? 0)
  const canMore = count < MAX_RUNS && total > count
  return {
    runs: data?.data ?? [],
    refetch: () => void refetch(),
    more: canMore ? () => setCount(Math.min(MAX_RUNS, count * 2)) : undefined,
  }
}

function isCallOf({ type, data }: Frame, agentId: string): boolean {
  return type !== 'call:tokens' && (data as { readonly to?: unknown }).to === `agent:${agentId}`
}

const MAX_CONVERSATIONS = 200

interface ListedConversations {
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
