import { Wrench } from 'lucide-react'
import type { ToolUsage } from '../../../contract/endpoints/usage.ts'
import type { ToolSummary } from '../../../contract/endpoints/tool.ts'
import { useEndpoint, usePolling } from '../../api/use-endpoint.ts'
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx'
import { useChanges } from '../../live/use-topic.ts'
import { Link } from '../../router/link.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { useServices } from '../../services/services-context.tsx'
import { CARDS_BELOW, Card } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'

const TOOL_COLUMNS: readonly Column<ToolSummary>[] = [
  {
    name: 'Tool',
    width: 'minmax(9rem, 1fr)',
    cell: ({ name }) => (
      <Link to={`tools/${encodeURIComponent(name)}`} tabIndex={-1} className="font-mono text-sm">
        {name}
      </Link>
    ),
  },
  {
    name: 'Description',
    width: 'minmax(10rem, 3fr)',
    cell: ({ description }) => <span title={description}>{description}</span>,
  },
  { name: 'Source', width: '6.5rem', cell: ({ source }) => SOURCES[source] },
  {
    name: 'Agents',
    width: 'minmax(6rem, 1fr)',
    cell: ({ agents }) => agents.join(', ') || <span className="text-dim">none</span>,
  },
  {
    name: 'MCP server',
    width: 'minmax(5rem, 0.7fr)',
    cell: ({ serverId }) => serverId && <Link to={`mcp/${encodeURIComponent(serverId)}`}>{serverId}</Link>,
  },
]

/** Words for the origins of tools. */
const SOURCES = { config: 'configuration', agent: 'agent', mcp: 'MCP server' } as const

const POLL_MS = 2000

const FILTERS = { q: '', source: '', agentId: '' }

const EXAMPLE = `import { createTool, defineConfig } from 'agentserver'
import { z } from 'zod'

const add = createTool({
  name: 'add',
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})\n\nexport default defineConfig({ tools: [add] })`

/** All tools: of the configuration, of agents and of MCP servers. */
export function ToolsScreen() {
  const { router } = useServices()
  const [filters, setFilters] = useUrlState(FILTERS)
  const { data: tools, error, refetch } = useEndpoint('listTools', {})
  const hasCards = tools !== undefined && tools.length < CARDS_BELOW
  const { data: usage, refetch: refetchUsage } = useEndpoint(
    'listToolActivity',
    { quiet: true },
    { enabled: hasCards },
  )
  usePolling(() => {
    if (hasCards) void refetchUsage()
  }, POLL_MS)
  useChanges('config', refetch)
  const shown = tools?.filter((tool) => matches(tool, filters))
  const agents = [...new Set(tools?.flatMap((tool) => tool.agents))].toSorted()
  return (
    <>
      <PageHeader title="Tools" count={tools?.length} />
      <FilterBar>
        <FilterText label="Search tools" first value={filters.q} onChange={(q) => setFilters({ q })} />
        <FilterSelect
          label="Source"
          value={filters.source}
          options={['config', 'agent', 'mcp']}
          onChange={(source) => setFilters({ source })}
        />
        <FilterSelect
          label="Agent"
          value={filters.agentId}
          options={agents}
          onChange={(agentId) => setFilters({ agentId })}
        />
      </FilterBar>
      <ListView
        label="Tools"
        columns={TOOL_COLUMNS}
        count={shown?.length}
        row={(index) => shown?.[index]}
        rowKey={({ name }) => name}
        card={
          hasCards
            ? (tool) => <ToolCard tool={tool} usage={usage?.find(({ toolName }) => toolName === tool.name)} />
            : undefined
        }
        open={({ name }) => void router.navigate(`tools/${encodeURIComponent(name)}`)}
        error={error}
        retry={refetch}
        noun="tool"
        filtered={tools?.length !== 0}
        empty={
          <EmptyState title="No tools yet" code={EXAMPLE}>
            Define tools in the configuration or on agents, or connect an MCP server:
          </EmptyState>
        }
      />
    </>
  )
}

function matches(tool: ToolSummary, { q, source, agentId }: typeof FILTERS): boolean {
  const text = `${tool.name} ${tool.description}`.toLowerCase()
  return (
    text.includes(q.trim().toLowerCase()) &&
    (source === '' || tool.source === source) &&
    (agentId === '' || tool.agents.includes(agentId))
  )
}

interface ToolCardProps {
  readonly tool: ToolSummary
  /** Undefined while it is loaded. */
  readonly usage: ToolUsage | undefined
}

/** A tool with its last calls. */
function ToolCard({ tool, usage }: ToolCardProps) {
  const { name, description, source, agents, serverId } = tool
  return (
    <Card
      to={`tools/${encodeURIComponent(name)}`}
      name={name}
      icon={Wrench}
      description={description}
      details={
        <>
          <span>{serverId === undefined ? SOURCES[source] : `MCP server ${serverId}`}</span>
          {agents.length > 0 && <span>used by {agents.join(', ')}</span>}
        </>
      }
      runs={usage?.runs.map(({ spanId, traceId, status, startedAt, durationMs }) => ({
        id: spanId,
        to: `traces/${traceId}?span=${spanId}`,
        status,
        startedAt,
        durationMs,
      }))}
      noRuns="No calls since the server was started: open it to run it."
    />
  )
}
