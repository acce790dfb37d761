import { useMemo, useState } from 'react'
import type { CallFrame } from '../../../../contract/channels.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useChanges } from '../../../live/use-changes.ts'
import { useThrottled } from '../../../live/use-throttled.ts'
import { useTopic } from '../../../live/use-topic.ts'
import { Link } from '../../../router/link.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { countText } from '../../../ui/time/format-time.ts'
import { Section } from '../section.tsx'
import { CallState } from './call-state.ts'
import { MapEdges } from './map-edges.tsx'
import type { DrawnEdge } from './map-edges.tsx'
import { declaredEdges, mapColumns } from './map-nodes.ts'
import type { MapColumn, MapNode } from './map-nodes.ts'
import type { NodeState } from './call-state.ts'

const RENDER_MS = 100
/** The width of a column at least, in rem. */
const MIN_COLUMN = 9.5

/** Workflows, agents, tools and MCP servers, and the calls between them as they happen. */
export function LiveMap() {
  const workflows = useEndpoint('listWorkflows', {}).data
  const agents = useEndpoint('listAgents', {}).data
  const { data: tools, refetch: refetchTools } = useEndpoint('listTools', {})
  const { data: servers, refetch: refetchServers } = useEndpoint('listMcpServers', {})
  const [calls] = useState(() => new CallState())
  const [, setDrawn] = useState(0)
  const draw = useThrottled(() => setDrawn((count) => count + 1), RENDER_MS)
  useTopic('calls', {
    onFrame: (frame) => {
      calls.receive(frame as unknown as CallFrame)
      draw()
    },
    onResync: () => {
      calls.clear()
      draw()
    },
  })
  useChanges('config', () => {
    void refetchTools()
    void refetchServers()
  })
  const data = useMemo(
    () => workflows && agents && tools && servers && { workflows, agents, tools, servers },
    [workflows, agents, tools, servers],
  )
  const columns = useMemo(() => (data ? mapColumns(data) : []), [data])
  const declared = useMemo(() => (data ? declaredEdges(data) : []), [data])
  if (columns.length === 0) return null
  const running = new Map(calls.edges.map(({ from, to, running: count }) => [`${from} ${to}`, count]))
  const known = new Set(declared.map(({ from, to }) => `${from} ${to}`))
  const nodes = new Set(columns.flatMap((column) => column.nodes.map(({ id }) => id)))
  const seen = calls.edges.filter(
    ({ from, to }) => !known.has(`${from} ${to}`) && nodes.has(from) && nodes.has(to),
  )
  const edges: DrawnEdge[] = [...declared, ...seen].map(({ from, to }) => ({
    from,
    to,
    running: running.get(`${from} ${to}`) ?? 0,
  }))
  return (
    <Section title="Live map">
      <div tabIndex={0} role="region" aria-label="Map" className="overflow-x-auto py-2 outline-offset-[-2px]">
        <div className="relative" style={{ minWidth: `${columns.length * MIN_COLUMN}rem` }}>
          <MapEdges columns={columns} edges={edges} />
          <div
            className="relative grid gap-x-12"
            style={{ gridTemplateColumns: `repeat(${columns.length}, minmax(0, 1fr))` }}
          >
            {columns.map((column) => (
              <Column key={column.name} column={column} calls={calls} />
            ))}
          </div>
        </div>
      </div>
      <ul className="sr-only" aria-label="Calls">
        {edges.map(({ from, to, running: count }) => (
          <li key={`${from} ${to}`}>
            {from} calls {to}
            {count > 0 && `: ${count} running`}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Column({ column, calls }: { readonly column: MapColumn; readonly calls: CallState }) {
  const { name, nodes, hidden } = column
  return (
    <div className="min-w-0">
      <h3 className="h-6 text-sm text-dim">{name}</h3>
      <ul>
        {nodes.map((node) => (
          <li key={node.id} className="h-9">
            <Node node={node} state={calls.node(node.id)} />
          </li>
        ))}
      </ul>
      {hidden > 0 && <p className="text-sm text-dim">{countText(hidden)} more</p>}
    </div>
  )
}

function Node({ node, state }: { readonly node: MapNode; readonly state: NodeState }) {
  const { running, tokens, error } = state
  const tone = running > 0 ? 'border-accent bg-chosen' : error === null ? 'border-line' : 'border-error'
  return (
    <Link
      to={node.to}
      title={error === null ? node.name : `${node.name}: ${error}`}
      className={`flex h-7 items-center gap-2 rounded-md border bg-raised px-2 text-sm transition-colors duration-120 hover:bg-hover ${tone}`}
    >
      <bdi className="min-w-0 flex-1 truncate">{node.name}</bdi>
      {tokens > 0 && <span className="shrink-0 text-dim">{countText(tokens)} tokens</span>}
      {error !== null && (
        <>
          <Icon name="error" className="text-error" />
          <span className="sr-only">, last call failed: {error}</span>
        </>
      )}
      {running > 0 && (
        <span className="shrink-0 font-medium text-accent">
          {countText(running)}
          <span className="sr-only"> running</span>
        </span>
      )}
    </Link>
  )
}
