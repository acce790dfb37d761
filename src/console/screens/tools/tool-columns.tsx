import type { ToolSummary } from '../../../contract/endpoints/tool.ts'
import { Link } from '../../router/link.tsx'
import type { Column } from '../../ui/table/data-table.tsx'

export const TOOL_COLUMNS: readonly Column<ToolSummary>[] = [
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
export const SOURCES = { config: 'configuration', agent: 'agent', mcp: 'MCP server' } as const
