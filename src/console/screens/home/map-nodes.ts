import type { DataOf } from '../../api/call.ts'
import type { Figures } from './map-figures.ts'

export interface MapNode {
  /** Kind and id, as in the frames of the topic `calls`. */
  readonly id: string
  readonly name: string
  readonly to: string
}

export interface MapColumn {
  readonly name: string
  readonly nodes: readonly MapNode[]
  /** The nodes that are not shown. */
  readonly hidden: number
  /** The page that lists all of them. */
  readonly list: string
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

/** The nodes of the map that are shown. */
const MAX_NODES = 60

/** A connection counts as much as this many recent runs. */
const EDGE_WEIGHT = 10

interface Kind {
  readonly name: string
  readonly list: string
  readonly nodes: readonly MapNode[]
}

/**
 * The nodes in columns, callers before callees. Of more than 60, the most connected and most active are shown, in the
 * order of their callers, so that few lines cross.
 */
export function mapColumns(
  data: MapData,
  edges: readonly MapEdge[],
  figures: ReadonlyMap<string, Figures>,
): readonly MapColumn[] {
  const kinds = kindsOf(data)
  const weight = new Map(
    kinds.flatMap(({ nodes }) => nodes.map(({ id }) => [id, figures.get(id)?.recent ?? 0] as const)),
  )
  for (const { from, to } of edges)
    for (const id of new Set([from, to])) weight.set(id, (weight.get(id) ?? 0) + EDGE_WEIGHT)
  const weightOf = ({ id }: MapNode) => weight.get(id) ?? 0
  const ranked = kinds.flatMap(({ nodes }) => nodes).toSorted((one, other) => weightOf(other) - weightOf(one))
  const shown = new Set(ranked.slice(0, MAX_NODES))
  const rows = new Map<string, number>()
  return kinds
    .map(({ name, list, nodes }): MapColumn => {
      const ordered = nodes
        .filter((node) => shown.has(node))
        .toSorted((one, other) => weightOf(other) - weightOf(one))
        .map((node) => ({ node, row: callerRow(node.id, edges, rows) }))
        .toSorted((one, other) => one.row - other.row)
        .map(({ node }) => node)
      for (const [row, { id }] of ordered.entries()) rows.set(id, row)
      return { name, list, nodes: ordered, hidden: nodes.length - ordered.length }
    })
    .filter(({ nodes, hidden }) => nodes.length + hidden > 0)
}

/** The mean row of the callers in the columns before; behind all others without any. */
function callerRow(id: string, edges: readonly MapEdge[], rows: ReadonlyMap<string, number>): number {
  const callers = edges.flatMap(({ from, to }) => (to === id ? (rows.get(from) ?? []) : []))
  if (callers.length === 0) return MAX_NODES
  return callers.reduce((sum, row) => sum + row, 0) / callers.length
}

function kindsOf({ workflows, agents, tools, servers }: MapData): readonly Kind[] {
  const children = new Set(workflows.flatMap(({ workflows: called = [] }) => called))
  const workflowNodes = (ofChildren: boolean) =>
    nodesOf(
      'workflow',
      'workflows',
      workflows.filter(({ id }) => children.has(id) === ofChildren),
    )
  return [
    { name: 'Workflows', list: 'workflows', nodes: workflowNodes(false) },
    { name: 'Child workflows', list: 'workflows', nodes: workflowNodes(true) },
    { name: 'Agents', list: 'agents', nodes: nodesOf('agent', 'agents', agents) },
    {
      name: 'Tools',
      list: 'tools',
      nodes: nodesOf(
        'tool',
        'tools',
        tools.map(({ name }) => ({ id: name, name })),
      ),
    },
    { name: 'MCP servers', list: 'mcp', nodes: nodesOf('mcp', 'mcp', servers) },
  ]
}

function nodesOf(
  kind: string,
  area: string,
  items: readonly { readonly id: string; readonly name: string }[],
): readonly MapNode[] {
  return items.map(({ id, name }) => ({
    id: `${kind}:${id}`,
    name,
    to: `${area}/${encodeURIComponent(id)}`,
  }))
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
