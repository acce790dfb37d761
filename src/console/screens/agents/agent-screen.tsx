import { useEffect, useState } from 'react'
import type { AgentDetail } from '../../../contract/endpoints/agent.ts'
import { modelsText } from '../../../client/models-text.ts'
import { ApiError } from '../../../client/api-error.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'
import { useServices } from '../../services/services-context.tsx'
import { useChanges } from '../../live/use-changes.ts'
import { Link } from '../../router/link.tsx'
import { CostsView } from '../../statistics/costs-view.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Pending } from '../../ui/state/pending.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { Tabs } from '../../ui/layout/tabs.tsx'
import { AgentAbout } from './agent-about.tsx'
import { AgentCard } from './agent-card.tsx'
import { ChatSessions } from './chat/session/chat-sessions.ts'
import { ChatTab } from './chat/chat-tab.tsx'
import { useRecentRuns } from './chat/session/use-recent-runs.ts'
import { HistoryTab } from './history/history-tab.tsx'
import { ObjectTab } from './object/object-tab.tsx'

const POLL_MS = 2000

/** One agent: chat, history, card, instructions and tools. */
export function AgentScreen({ params }: ScreenProps) {
  const id = params['id'] ?? ''
  const { data: agent, error, refetch } = useEndpoint('getAgent', { params: { id } })
  usePolling(refetch, POLL_MS)
  useChanges('config', refetch)
  const isMissing = error instanceof ApiError && error.status === 404
  return (
    <>
      <PageHeader title={agent?.name ?? id} aside={agent && !isMissing && <Facts agent={agent} />} />
      {isMissing ? (
        <EmptyState title="Agent not found">
          <Link to="agents">Show all agents</Link>
        </EmptyState>
      ) : agent ? (
        <AgentTabs agent={agent} />
      ) : (
        <Pending error={error} retry={refetch} />
      )}
    </>
  )
}

function AgentTabs({ agent }: { readonly agent: AgentDetail }) {
  const { api, queries, toasts } = useServices()
  const recent = useRecentRuns(agent.id)
  const [sessions] = useState(() => {
    const onChange = () => {
      void queries.invalidateQueries({ queryKey: ['listAgentHistory', agent.id] })
      void queries.invalidateQueries({ queryKey: ['listAllConversations', agent.id] })
      void queries.invalidateQueries({ queryKey: ['getAgent'] })
    }
    return new ChatSessions({ api, agentId: agent.id, onChange, onError: (message) => toasts.error(message) })
  })
  useEffect(() => () => sessions.disconnect(), [sessions])
  return (
    <Tabs
      label="Agent"
      tabs={[
        {
          id: 'chat',
          name: 'Chat',
          render: () => <ChatTab agent={agent} sessions={sessions} recent={recent} />,
        },
        { id: 'object', name: 'Object', render: () => <ObjectTab agent={agent} /> },
        { id: 'history', name: 'History', render: () => <HistoryTab agentId={agent.id} /> },
        { id: 'costs', name: 'Costs', render: () => <CostsView agentId={agent.id} /> },
        { id: 'card', name: 'Card', render: () => <AgentCard agentId={agent.id} /> },
        {
          id: 'about',
          name: 'Instructions and tools',
          count: agent.tools.length,
          render: () => <AgentAbout agent={agent} />,
        },
      ]}
    />
  )
}

function Facts({ agent }: { readonly agent: AgentDetail }) {
  const { id, status } = agent
  const models = modelsText(agent)
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <StatusBadge status={status} />
      <span className="min-w-0 break-all font-mono text-sm text-dim">{id}</span>
      {models === undefined ? (
        <span className="text-error">no model configured</span>
      ) : (
        <span className="text-sm text-dim">{models}</span>
      )}
    </span>
  )
}
