import { useMemo, useState } from 'react'
import type { CallFrame } from '../../../contract/channels.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useChanges, useTopic } from '../../live/use-topic.ts'
import { useThrottled } from '../../live/use-throttled.ts'
import { Link } from '../../router/link.tsx'
import { escapeHidden } from '../../ui/escape-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { TitledSection } from '../../ui/layout/titled-section.tsx'
import { declaredEdges, mapColumns } from './map-nodes.ts'
import type { MapColumn, MapNode, MapEdge } from './map-nodes.ts'

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
    <TitledSection title="Live map">
      <div tabIndex={0} role="region" aria-label="Map" className="overflow-x-auto py-2 outline-offset-[-2px]">
        <div className="relative" style={{ minWidth: `${columns.length * MIN_COLUMN}rem` }}>
          <MapEdges columns={columns} edges={edges} />
          <div
            className="relative grid"
            style={{
              gridTemplateColumns: `repeat(${columns.length}, minmax(0, 1fr))`,
              columnGap: `${GAP / (WIDTH / 100)}%`,
            }}
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
    </TitledSection>
  )
}

function Column({ column, calls }: { readonly column: MapColumn; readonly calls: CallState }) {
  const { name, nodes, hidden } = column
  return (
    <div className="min-w-0">
      <h3 className="h-6 text-sm text-dim">{name}</h3>
      <ul>
        {nodes.map((node) => (
          <li key={node.id} data-node={node.id} className="h-9">
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
      title={error === null ? node.name : escapeHidden(`${node.name}: ${error}`)}
      className={`flex h-7 items-center gap-2 rounded-md border bg-raised px-2 text-sm transition-colors duration-120 hover:bg-hover ${tone}`}
    >
      <bdi className="min-w-0 flex-1 truncate">{node.name}</bdi>
      {tokens > 0 && <span className="shrink-0 text-dim">{countText(tokens)} tokens</span>}
      {error !== null && (
        <>
          <Icon name="error" className="text-error" />
          <span className="sr-only">, last call failed: {escapeHidden(error)}</span>
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

/** What a node has done since the page was opened. */
interface NodeState {
  readonly running: number
  readonly tokens: number
  /** Message of the last call, when it failed. */
  readonly error: string | null
}

interface OpenCall {
  readonly from: string | null
  readonly to: string
}

const MAX_OPEN = 2000

const MAX_EDGES = 200

const IDLE: NodeState = { running: 0, tokens: 0, error: null }

/** The calls of the server as they happen. Bounded: of more than it can hold, it forgets the oldest. */
class CallState {
  readonly #open = new Map<string, OpenCall>()
  readonly #nodes = new Map<string, NodeState>()
  /** Pairs of nodes that called each other, with the number of calls that run. */
  readonly #edges = new Map<
    string,
    { readonly from: string; readonly to: string; readonly running: number }
  >()

  receive({ type, data }: CallFrame): void {
    if (type === 'call:tokens') this.#change(data.node, ({ tokens }) => ({ tokens: tokens + data.tokens }))
    else if (type === 'call:start') {
      this.#open.set(data.id, data)
      this.#count(data, 1)
      const [oldest] = this.#open.keys()
      if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#end(oldest)
    } else {
      this.#end(data.id)
      this.#change(data.to, () => ({ error: data.error }))
    }
  }

  /** Forgets the calls that run, as their ends may have been missed. */
  clear(): void {
    for (const id of this.#open.keys()) this.#end(id)
  }

  node(id: string): NodeState {
    return this.#nodes.get(id) ?? IDLE
  }

  get edges(): readonly { readonly from: string; readonly to: string; readonly running: number }[] {
    return [...this.#edges.values()]
  }

  #end(id: string): void {
    const call = this.#open.get(id)
    if (!call) return
    this.#open.delete(id)
    this.#count(call, -1)
  }

  #count({ from, to }: OpenCall, by: number): void {
    this.#change(to, ({ running }) => ({ running: running + by }))
    if (from === null) return
    const key = `${from} ${to}`
    const running = (this.#edges.get(key)?.running ?? 0) + by
    this.#edges.delete(key)
    this.#edges.set(key, { from, to, running })
    const [oldest] = this.#edges.keys()
    if (this.#edges.size > MAX_EDGES && oldest !== undefined) this.#edges.delete(oldest)
  }

  #change(id: string, change: (state: NodeState) => Partial<NodeState>): void {
    const state = this.node(id)
    this.#nodes.set(id, { ...state, ...change(state) })
  }
}

interface DrawnEdge extends MapEdge {
  readonly running: number
}

/** Pixels: the heading of a column, a node with its gap, and half of a node. */
const HEAD = 24

const ROW = 36

const HALF = 14

/** The coordinates of the drawing across; it is stretched to the width of the columns. */
const WIDTH = 1000

/** Between two columns: a share of the width, as the lines are stretched with it. */
const GAP = 60

/** How far a line to the same column goes into the gap. */
const BEND = 0.75

/** The lines between the nodes. The list of calls has the same for screen readers. */
function MapEdges(props: { readonly columns: readonly MapColumn[]; readonly edges: readonly DrawnEdge[] }) {
  const { columns, edges } = props
  const height = HEAD + ROW * Math.max(...columns.map(({ nodes }) => nodes.length))
  const wide = (WIDTH - GAP * (columns.length - 1)) / columns.length
  const places = new Map(
    columns.flatMap(({ nodes }, column) =>
      nodes.map(({ id }, row) => [id, { column, y: HEAD + row * ROW + HALF }] as const),
    ),
  )
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${WIDTH} ${height}`}
      preserveAspectRatio="none"
      className="absolute inset-x-0 top-0 w-full"
      style={{ height }}
    >
      {edges.map(({ from, to, running }) => {
        const start = places.get(from)
        const end = places.get(to)
        if (!start || !end || from === to) return null
        const isForward = end.column > start.column
        const x1 = start.column * (wide + GAP) + wide
        // one to the same or an earlier column goes around its right edge
        const x2 = end.column * (wide + GAP) + (isForward ? 0 : wide)
        const bend = isForward ? x1 + GAP / 2 : Math.max(x1, x2) + GAP * BEND
        return (
          <path
            key={`${from} ${to}`}
            d={`M${x1} ${start.y}C${bend} ${start.y} ${isForward ? x2 - GAP / 2 : bend} ${end.y} ${x2} ${end.y}`}
            fill="none"
            data-edge={`${from} ${to}`}
            vectorEffect="non-scaling-stroke"
            className={running > 0 ? 'call-edge stroke-accent stroke-2' : 'stroke-line-strong opacity-60'}
          />
        )
      })}
    </svg>
  )
}
