import type { DataOf } from '../../api/call.ts'

export interface MapNode {
  /** Kind and id, as in the frames of the topic `calls`. */
  readonly id: string
  readonly name: string
  readonly to: string
}

export interface MapColumn {
  readonly name: string
  readonly nodes: readonly MapNode[]
  readonly hidden: number
}

export interface MapEdge {
  readonly from: string
  readonly to: string
}

export interface MapData {
  readonly workflows: DataOf<'listWorkflows'>
  readonly agents: DataOf<'listAgents'>
  readonly tools: DataOf<'listTools'>
  readonly servers: DataOf<'listMcpServers'>
}

/** The nodes of a column that are shown. */
const MAX_NODES = 12

/** The nodes in columns, callers before callees. */
export function mapColumns({ workflows, agents, tools, servers }: MapData): readonly MapColumn[] {
  return [
    column('Workflows', 'workflow', 'workflows', workflows),
    column('Agents', 'agent', 'agents', agents),
    column(
      'Tools',
      'tool',
      'tools',
      tools.map(({ name }) => ({ id: name, name })),
    ),
    column('MCP servers', 'mcp', 'mcp', servers),
  ].filter(({ nodes }) => nodes.length > 0)
}

function column(
  name: string,
  kind: string,
  area: string,
  items: readonly { readonly id: string; readonly name: string }[],
): MapColumn {
  const nodes = items.slice(0, MAX_NODES).map((item) => ({
    id: `${kind}:${item.id}`,
    name: item.name,
    to: `${area}/${encodeURIComponent(item.id)}`,
  }))
  return { name, nodes, hidden: items.length - nodes.length }
}

/** The calls that the code declares: of steps, of sub-agents, of the tools of agents and of connected servers. */
export function declaredEdges({ workflows, agents, tools }: MapData): readonly MapEdge[] {
  return [
    ...workflows.flatMap((workflow) => [
      ...edges(`workflow:${workflow.id}`, 'agent', workflow.agents),
      ...edges(`workflow:${workflow.id}`, 'workflow', workflow.workflows),
    ]),
    ...agents.flatMap(({ id, subAgentIds }) => edges(`agent:${id}`, 'agent', subAgentIds)),
    ...tools.flatMap(({ name, agents: users, serverId }) => [
      ...users.map((agent) => ({ from: `agent:${agent}`, to: `tool:${name}` })),
      ...edges(`tool:${name}`, 'mcp', serverId === undefined ? [] : [serverId]),
    ]),
  ]
}

function edges(from: string, kind: string, ids: readonly string[] = []): readonly MapEdge[] {
  return ids.map((id) => ({ from, to: `${kind}:${id}` }))
}
