import type { McpServerSummary } from '../../../contract/endpoints/mcp.ts'
import { useEndpoint, usePolling } from '../../api/use-endpoint.ts'
import { useServices } from '../../services/services-context.tsx'
import { useChanges } from '../../live/use-topic.ts'
import { Link } from '../../router/link.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import type { Column } from '../../ui/table/data-table.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx'
import { StatusFilter } from '../../filters/declared-filter.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'

const FILTERS = { q: '', kind: '', status: '' }
const POLL_MS = 2000

const EXAMPLE = `import { connectMcpServer, createMcpServer, createTool, defineConfig } from 'agentserver'
import { z } from 'zod'

const add = createTool({
  name: 'add',
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})\n\nexport default defineConfig({
  mcpServers: [
    // served to MCP clients
    createMcpServer({ id: 'desk', name: 'Desk', version: '1.0.0', tools: [add] }),
    // a remote server with tools for the agents
    connectMcpServer({ id: 'docs', url: 'https://mcp.example.com/mcp' }),
  ],
})`

const COLUMNS: readonly Column<McpServerSummary>[] = [
  { name: 'Status', width: '7.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Server',
    width: 'minmax(8rem, 1fr)',
    cell: ({ id, name }) => (
      <Link to={`mcp/${encodeURIComponent(id)}`} tabIndex={-1}>
        {name}
      </Link>
    ),
  },
  {
    name: 'Id',
    width: 'minmax(5rem, 0.6fr)',
    cell: ({ id }) => <span className="font-mono text-sm">{id}</span>,
  },
  { name: 'Kind', width: '6rem', cell: ({ kind }) => kind },
  { name: 'Transport', width: '5.5rem', cell: ({ transport }) => transport },
  { name: 'Tools', width: '4rem', align: 'right', cell: ({ toolCount }) => toolCount },
  {
    name: 'Details',
    width: 'minmax(8rem, 2fr)',
    cell: ({ error, description }) =>
      error === undefined ? (
        <span className="text-dim">{description}</span>
      ) : (
        <span className="text-error" title={error}>
          {error}
        </span>
      ),
  },
]

/** All MCP servers: served and connected ones. */
export function McpScreen() {
  const { router } = useServices()
  const [filters, setFilters] = useUrlState(FILTERS)
  const { data: servers, error, refetch } = useEndpoint('listMcpServers', {})
  usePolling(refetch, POLL_MS)
  useChanges('config', refetch)
  const shown = servers?.filter((server) => matches(server, filters))
  return (
    <>
      <PageHeader title="MCP servers" count={servers?.length} />
      <FilterBar>
        <FilterText label="Search servers" first value={filters.q} onChange={(q) => setFilters({ q })} />
        <FilterSelect
          label="Kind"
          value={filters.kind}
          options={['served', 'connected']}
          onChange={(kind) => setFilters({ kind })}
        />
        <StatusFilter
          value={filters.status}
          options={['ready', 'connecting', 'login', 'error']}
          onChange={(status) => setFilters({ status })}
        />
      </FilterBar>
      <ListView
        label="MCP servers"
        columns={COLUMNS}
        count={shown?.length}
        row={(index) => shown?.[index]}
        rowKey={({ id }) => id}
        open={({ id }) => void router.navigate(`mcp/${encodeURIComponent(id)}`)}
        error={error}
        retry={refetch}
        noun="server"
        filtered={servers?.length !== 0}
        empty={
          <EmptyState title="No MCP servers yet" code={EXAMPLE}>
            Serve tools, agents and workflows to MCP clients, or connect servers with tools for agents:
          </EmptyState>
        }
      />
    </>
  )
}

function matches(server: McpServerSummary, { q, kind, status }: typeof FILTERS): boolean {
  const text = `${server.id} ${server.name} ${server.description ?? ''}`.toLowerCase()
  return (
    text.includes(q.trim().toLowerCase()) &&
    (kind === '' || server.kind === kind) &&
    (status === '' || server.status === status)
  )
}
