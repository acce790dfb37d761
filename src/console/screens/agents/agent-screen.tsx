import { useEffect, useState } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import { modelsText } from '../../../client/models-text.ts'
import type { AgentDetail } from '../../../contract/endpoints/agent.ts'
import { useEndpoint, usePolling } from '../../api/use-endpoint.ts'
import { useChanges } from '../../live/use-topic.ts'
import { Link } from '../../router/link.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { useServices } from '../../services/services-context.tsx'
import { CostsView } from '../costs-screen.tsx'
import { ToolList } from '../tools/tool-list.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Tabs } from '../../ui/layout/tabs.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { AgentCard } from './agent-card.tsx'
import { ChatTab } from './chat/chat-tab.tsx'
import { ChatSessions } from './chat/session/chat-session.ts'
import { useRecentRuns } from './chat/session/use-conversations.ts'
import { HistoryTab } from './history-tab.tsx'
import { ObjectTab } from './object-tab.tsx'

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
      <PageHeader title={agent?.name ?? id} aside={agent && !isMissing && <Details agent={agent} />} />
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

function Details({ agent }: { readonly agent: AgentDetail }) {
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

/** Instructions, tools and sub-agents of an agent. */
function AgentAbout({ agent }: { readonly agent: AgentDetail }) {
  const { description, instructions, tools, subAgents, memory, perRequest } = agent
  return (
    <div
      className="flex min-h-0 flex-1 flex-col gap-6 overflow-auto p-4"
      tabIndex={0}
      role="region"
      aria-label="Instructions and tools"
    >
      <section aria-label="Instructions" className="max-w-3xl">
        {description !== '' && <p className="break-words pb-2 text-dim">{description}</p>}
        <h2 className="pb-1 font-semibold">Instructions</h2>
        <p className="whitespace-pre-wrap break-words rounded-md border border-line bg-panel p-2">
          {instructions ?? <span className="text-dim">chosen per request by a function</span>}
        </p>
        <p className="pt-2 text-dim">Memory: {memory ? 'on' : 'off'}</p>
      </section>
      <section aria-label="Tools" className="max-w-3xl">
        <h2 className="pb-1 font-semibold">
          Tools <span className="font-normal text-dim">{tools.length}</span>
        </h2>
        {tools.length > 0 && <ToolList tools={tools} callable />}
        {perRequest.includes('tools') ? (
          <p className="text-dim">chosen per request by a function</p>
        ) : (
          tools.length === 0 && <p className="text-dim">No tools</p>
        )}
      </section>
      {subAgents.length > 0 && (
        <section aria-label="Sub-agents" className="max-w-3xl">
          <h2 className="pb-1 font-semibold">Sub-agents</h2>
          <ul>
            {subAgents.map(({ id, name, description: purpose }) => (
              <li key={id}>
                <Link to={`agents/${encodeURIComponent(id)}`}>{name}</Link>
                <span className="pl-3 text-dim">{purpose}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}
