import type { ToolSummary } from '../../../contract/endpoints/tool.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useServices } from '../../services/services-context.tsx'
import { useChanges } from '../../live/use-changes.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx'
import { CARDS_BELOW } from '../../ui/cards/card-grid.tsx'
import { ToolCard } from './tool-card.tsx'
import { usePolling } from '../../api/use-polling.ts'
import { ListView } from '../../ui/table/list-view.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { TOOL_COLUMNS } from './tool-columns.tsx'

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
  const { data: activity, refetch: refetchActivity } = useEndpoint(
    'listToolActivity',
    { quiet: true },
    { enabled: hasCards },
  )
  usePolling(() => {
    if (hasCards) void refetchActivity()
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
            ? (tool) => (
                <ToolCard tool={tool} activity={activity?.find(({ toolName }) => toolName === tool.name)} />
              )
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
