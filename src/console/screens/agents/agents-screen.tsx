import { Bot } from 'lucide-react'
import { modelsText } from '../../../client/models-text.ts'
import type { AgentUsage } from '../../../contract/endpoints/usage.ts'
import type { AgentSummary } from '../../../contract/endpoints/agent.ts'
import { useEndpoint, usePolling } from '../../api/use-endpoint.ts'
import { FilterBar, FilterText } from '../../filters/filter-bar.tsx'
import { StatusFilter } from '../../filters/declared-filter.tsx'
import { useChanges } from '../../live/use-topic.ts'
import { Link } from '../../router/link.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { useServices } from '../../services/services-context.tsx'
import { CARDS_BELOW, Card } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { durationBetween } from '../../ui/time/format-time.ts'

const FILTERS = { q: '', status: '' }
const POLL_MS = 2000

const EXAMPLE = `import { createAgent, defineConfig } from 'agentserver'

const support = createAgent({
  id: 'support',
  name: 'Support',
  description: 'Answers questions of customers',
  instructions: 'You help customers. Answer briefly.',
})\n\nexport default defineConfig({ agents: [support] })`

const COLUMNS: readonly Column<AgentSummary>[] = [
  { name: 'Status', width: '5.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Agent',
    width: 'minmax(7rem, 1fr)',
    cell: ({ id, name }) => (
      <Link to={`agents/${encodeURIComponent(id)}`} tabIndex={-1}>
        {name}
      </Link>
    ),
  },
  {
    name: 'Id',
    width: 'minmax(4rem, 0.7fr)',
    onlyWide: true,
    cell: ({ id }) => <span className="font-mono text-sm">{id}</span>,
  },
  {
    name: 'Description',
    width: 'minmax(6rem, 2fr)',
    cell: ({ description }) => <span title={description}>{description}</span>,
  },
  {
    name: 'Model',
    width: 'minmax(6rem, 1fr)',
    cell: (agent) => modelsText(agent) ?? <span className="text-error">none configured</span>,
  },
  {
    name: 'Tools',
    width: 'minmax(4.5rem, 1fr)',
    cell: ({ tools, perRequest }) => (
      <span title={tools.map(({ name }) => name).join(', ')}>
        {tools.map(({ name }) => name).join(', ') || (
          <span className="text-dim">{perRequest.includes('tools') ? 'per request' : 'none'}</span>
        )}
      </span>
    ),
  },
  { name: 'Memory', width: '4.5rem', cell: ({ memory }) => (memory ? 'yes' : 'no') },
  {
    name: 'Exposed',
    width: '4.5rem',
    cell: ({ served }) => (served ? 'yes' : <span className="text-dim">internal</span>),
  },
]

/** All agents, including internal ones that only steps and other agents call. */
export function AgentsScreen() {
  const { router } = useServices()
  const [filters, setFilters] = useUrlState(FILTERS)
  const { data: agents, error, refetch } = useEndpoint('listAgents', {})
  const hasCards = agents !== undefined && agents.length < CARDS_BELOW
  const { data: usage, refetch: refetchUsage } = useEndpoint(
    'listAgentActivity',
    { quiet: true },
    { enabled: hasCards },
  )
  usePolling(() => {
    void refetch()
    if (hasCards) void refetchUsage()
  }, POLL_MS)
  useChanges('config', refetch)
  const shown = agents?.filter((agent) => matches(agent, filters))
  return (
    <>
      <PageHeader title="Agents" count={agents?.length} />
      <FilterBar>
        <FilterText label="Search agents" first value={filters.q} onChange={(q) => setFilters({ q })} />
        <StatusFilter
          value={filters.status}
          options={['idle', 'running']}
          onChange={(status) => setFilters({ status })}
        />
      </FilterBar>
      <ListView
        label="Agents"
        columns={COLUMNS}
        count={shown?.length}
        row={(index) => shown?.[index]}
        rowKey={({ id }) => id}
        card={
          hasCards
            ? (agent) => (
                <AgentSummaryCard agent={agent} usage={usage?.find(({ agentId }) => agentId === agent.id)} />
              )
            : undefined
        }
        open={({ id }) => void router.navigate(`agents/${encodeURIComponent(id)}`)}
        error={error}
        retry={refetch}
        noun="agent"
        filtered={agents?.length !== 0}
        empty={
          <EmptyState title="No agents yet" code={EXAMPLE}>
            Add one to agentserver.config.ts:
          </EmptyState>
        }
      />
    </>
  )
}

function matches(agent: AgentSummary, { q, status }: typeof FILTERS): boolean {
  const { id, name, description, tools } = agent
  const text = [id, name, description, modelsText(agent), ...tools.map((tool) => tool.name)].join(' ')
  return text.toLowerCase().includes(q.trim().toLowerCase()) && (status === '' || agent.status === status)
}

interface AgentSummaryCardProps {
  readonly agent: AgentSummary
  /** Undefined while it is loaded. */
  readonly usage: AgentUsage | undefined
}

/** An agent with its last runs. */
function AgentSummaryCard({ agent, usage }: AgentSummaryCardProps) {
  const { id, name, description, status, tools, perRequest, memory, served } = agent
  const to = `agents/${encodeURIComponent(id)}`
  const model = modelsText(agent)
  return (
    <Card
      to={to}
      name={name}
      icon={Bot}
      status={<StatusBadge status={status} />}
      description={description}
      details={
        <>
          {model === undefined ? (
            <span className="text-error">no model configured</span>
          ) : (
            <span>{model}</span>
          )}
          <span title={tools.map((tool) => tool.name).join(', ')}>
            {tools.length === 0 && perRequest.includes('tools')
              ? 'tools per request'
              : `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`}
          </span>
          {memory && <span>memory</span>}
          {!served && <span>internal</span>}
        </>
      }
      runs={usage?.runs.map(({ runId, status: outcome, startedAt, endedAt, traceId }) => ({
        id: runId,
        to: `traces/${traceId}`,
        status: outcome,
        startedAt,
        durationMs: durationBetween(startedAt, endedAt),
      }))}
      noRuns="No runs yet: open it to chat."
    />
  )
}
