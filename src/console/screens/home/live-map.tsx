import { useMemo, useRef, useState } from 'react'
import { formatCost } from '../../../contract/usage/cost.ts'
import type { CallFrame } from '../../../contract/channels.ts'
import { useEndpoint, usePolling } from '../../api/use-endpoint.ts'
import { useChanges, useTopic } from '../../live/use-topic.ts'
import { useThrottled } from '../../live/use-throttled.ts'
import { Link } from '../../router/link.tsx'
import { useServices } from '../../services/services-context.tsx'
import { shortText } from '../../statistics/slowness.ts'
import { escapeHidden } from '../../ui/escape-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { TitledSection } from '../../ui/layout/titled-section.tsx'
import { useWidth } from '../../waterfall/axis.tsx'
import { CallState } from './call-state.ts'
import type { LiveEdge, MovingRun, NodeState } from './call-state.ts'
import { figuresOf } from './map-figures.ts'
import type { Figures } from './map-figures.ts'
import { GAP, INSET, layOut, NODE_HEIGHT } from './map-layout.ts'
import type { MapLayout } from './map-layout.ts'
import { declaredEdges, mapColumns } from './map-nodes.ts'
import type { MapColumn, MapEdge, MapNode } from './map-nodes.ts'

const RENDER_MS = 100
const FIGURES_MS = 1000
const POLL_MS = 15_000
/** The width of a column at least, in pixels. */
const MIN_COLUMN = 116

/** Workflows, agents, tools and MCP servers with their figures, and the runs that move through them. */
export function LiveMap() {
  const data = useDeclared()
  const figures = useFigures()
  const declared = useMemo(() => (data ? declaredEdges(data) : []), [data])
  const columns = useMemo(() => (data ? mapColumns(data, declared, figures) : []), [data, declared, figures])
  if (columns.length === 0) return null
  return (
    <TitledSection title="Live map">
      <Drawing columns={columns} declared={declared} figures={figures} />
    </TitledSection>
  )
}

interface DrawingProps {
  readonly columns: readonly MapColumn[]
  readonly declared: readonly MapEdge[]
  readonly figures: ReadonlyMap<string, Figures>
}

/** The nodes, the lines between them, and the same as a list. */
function Drawing({ columns, declared, figures }: DrawingProps) {
  const { calls, redraw } = useCalls()
  const ref = useRef<HTMLDivElement>(null)
  const width = useWidth(ref)
  const layout = layOut(columns, width)
  const edges = edgesOf(declared, calls.edges).filter(({ from, to }) => layout.line(from, to) !== undefined)
  return (
    <>
      <div
        tabIndex={0}
        role="region"
        aria-label="Map"
        className="max-h-[70vh] overflow-auto py-2 outline-offset-[-2px]"
      >
        <div
          ref={ref}
          className="relative"
          style={{ minWidth: INSET + columns.length * MIN_COLUMN + (columns.length - 1) * GAP }}
        >
          <Lines
            layout={layout}
            edges={edges}
            moving={calls.moving}
            arrive={(id) => {
              calls.arrive(id)
              redraw()
            }}
          />
          <div
            className="relative grid"
            style={{
              gridTemplateColumns: `repeat(${columns.length}, minmax(0, 1fr))`,
              columnGap: GAP,
              paddingLeft: INSET,
              pointerEvents: 'none',
            }}
          >
            {columns.map((column) => (
              <Column key={column.name} column={column} calls={calls} figures={figures} />
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
    </>
  )
}

/** The calls as they happen. */
function useCalls(): { readonly calls: CallState; readonly redraw: () => void } {
  const [calls] = useState(() => new CallState())
  const [, setDrawn] = useState(0)
  const redraw = useThrottled(() => setDrawn((count) => count + 1), RENDER_MS)
  useTopic('calls', {
    onFrame: (frame) => {
      calls.receive(frame as unknown as CallFrame)
      redraw()
    },
    onResync: () => {
      calls.clear()
      redraw()
    },
  })
  return { calls, redraw }
}

/** What the code declares; undefined until all of it is known. */
function useDeclared() {
  const workflows = useEndpoint('listWorkflows', {}).data
  const agents = useEndpoint('listAgents', {}).data
  const { data: tools, refetch: refetchTools } = useEndpoint('listTools', {})
  const { data: servers, refetch: refetchServers } = useEndpoint('listMcpServers', {})
  useChanges('config', () => {
    void refetchTools()
    void refetchServers()
  })
  return useMemo(
    () => workflows && agents && tools && servers && { workflows, agents, tools, servers },
    [workflows, agents, tools, servers],
  )
}

/** The figures of the nodes: also of runs that began before the page was opened. */
function useFigures(): ReadonlyMap<string, Figures> {
  const { data: workflows, refetch: refetchWorkflows } = useEndpoint('listWorkflowActivity', {})
  const { data: agents, refetch: refetchAgents } = useEndpoint('listAgentActivity', {})
  const { data: tools, refetch: refetchTools } = useEndpoint('listToolActivity', {})
  const { data: costs, refetch: refetchCosts } = useEndpoint('getCosts', {})
  const refresh = useThrottled(() => {
    void refetchWorkflows()
    void refetchAgents()
    void refetchTools()
  }, FIGURES_MS)
  useChanges('executions', refresh)
  // agent runs have no live topic
  usePolling(() => {
    refresh()
    void refetchCosts()
  }, POLL_MS)
  return useMemo(() => figuresOf({ workflows, agents, tools, costs }), [workflows, agents, tools, costs])
}

/** Those of the code, and the others that have been called. */
function edgesOf(declared: readonly MapEdge[], called: readonly LiveEdge[]): readonly LiveEdge[] {
  const edges = new Map(
    declared.map(({ from, to }): [string, LiveEdge] => [`${from} ${to}`, { from, to, running: 0 }]),
  )
  for (const edge of called) edges.set(`${edge.from} ${edge.to}`, edge)
  return [...edges.values()]
}

interface ColumnProps {
  readonly column: MapColumn
  readonly calls: CallState
  readonly figures: ReadonlyMap<string, Figures>
}

function Column({ column: { name, nodes, hidden, list }, calls, figures }: ColumnProps) {
  return (
    <div className="min-w-0">
      <h3 className="h-6 text-sm text-dim">{name}</h3>
      <ul>
        {nodes.map((node) => (
          <li key={node.id} data-node={node.id} className="h-13.5">
            <Node node={node} state={calls.node(node.id)} figures={figures.get(node.id)} />
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <Link to={list} className="pointer-events-auto text-sm text-accent hover:underline">
          {countText(hidden)} more {name.toLowerCase().replace('mcp', 'MCP')}
        </Link>
      )}
    </div>
  )
}

interface NodeProps {
  readonly node: MapNode
  readonly state: NodeState
  readonly figures: Figures | undefined
}

function Node({ node, state, figures }: NodeProps) {
  const { error } = state
  // those of the page end at once, those of the lists have begun before it was opened
  const running = Math.max(state.running, figures?.running ?? 0)
  const tone = running > 0 ? 'border-accent bg-chosen' : error === null ? 'border-line' : 'border-error'
  return (
    <div
      style={{ height: NODE_HEIGHT }}
      className={`pointer-events-auto relative flex flex-col justify-center rounded-md border bg-raised px-2 transition-colors duration-120 hover:bg-hover ${tone}`}
    >
      <span className="flex items-center gap-1.5">
        {/* the link covers the node */}
        <Link
          to={node.to}
          title={titleOf(node, error, figures)}
          className="min-w-0 flex-1 truncate after:absolute after:inset-0 after:rounded-md"
        >
          <bdi>{node.name}</bdi>
        </Link>
        {error !== null && (
          <>
            <Icon name="error" className="text-error" />
            <span className="sr-only">last call failed: {escapeHidden(error)}</span>
          </>
        )}
        {running > 0 && (
          <Running count={running} to={state.running > 0 ? state.run : figures?.run} node={node} />
        )}
      </span>
      <NodeFigures node={node} figures={figures} tokens={state.tokens} />
    </div>
  )
}

/** All that is known of a node, of which the node itself has what fits. */
function titleOf({ name }: MapNode, error: string | null, figures: Figures | undefined): string {
  const { p50Ms, costUsd = 0, failed = 0, recent = 0 } = figures ?? {}
  return [
    escapeHidden(error === null ? name : `${name}: ${error}`),
    ...(recent > 0 ? [`${Math.round(failed * 100)} % of the newest runs failed`] : []),
    ...(p50Ms === undefined ? [] : [`p50 ${shortText(p50Ms)} of the newest completed runs`]),
    ...(costUsd > 0 ? [`${formatCost(costUsd)} in the last 24 hours`] : []),
  ].join('\n')
}

interface RunningProps {
  readonly count: number
  /** The page of the run. */
  readonly to: string | undefined
  readonly node: MapNode
}

/** What runs in a node, with a link to it. */
function Running({ count, to, node: { id } }: RunningProps) {
  const [kind, name = ''] = id.split(/:(.*)/s)
  const list =
    kind === 'workflow' ? `executions?status=running&workflowId=${encodeURIComponent(name)}` : undefined
  const page = count === 1 ? to : (list ?? to)
  const text = (
    <>
      <Icon name="running" />
      {countText(count)}
      <span className="sr-only"> running</span>
    </>
  )
  const look = 'flex shrink-0 items-center gap-0.5 text-sm font-medium text-running'
  if (page === undefined) return <span className={look}>{text}</span>
  return (
    <Link to={page} title={`${countText(count)} running`} className={`relative hover:underline ${look}`}>
      {text}
    </Link>
  )
}

/** The figures of a node on one line. */
function NodeFigures({
  node,
  figures,
  tokens,
}: {
  readonly node: MapNode
  readonly figures: Figures | undefined
  readonly tokens: number
}) {
  const { p50Ms, costUsd = 0, failed = 0 } = figures ?? {}
  const percent = Math.round(failed * 100)
  return (
    // what does not fit is on a second line, which is not shown
    <span
      data-figures=""
      className="flex h-4 flex-wrap gap-x-2 overflow-hidden whitespace-nowrap text-sm text-dim"
    >
      {/* calls of tools are kept in memory */}
      {figures?.recent === 0 && tokens === 0 && (
        <span>{node.id.startsWith('tool:') ? 'no calls since the start' : 'no runs yet'}</span>
      )}
      {percent > 0 && (
        <span className="flex items-center gap-0.5 text-error">
          <Icon name="error" />
          {percent} %<span className="sr-only"> failed</span>
        </span>
      )}
      {p50Ms !== undefined && (
        <span>
          <span className="sr-only">p50 </span>
          {shortText(p50Ms)}
        </span>
      )}
      {costUsd > 0 && <span>{formatCost(costUsd)}</span>}
      {tokens > 0 && <span>{countText(tokens)} tokens</span>}
    </span>
  )
}

interface LinesProps {
  readonly layout: MapLayout
  readonly edges: readonly LiveEdge[]
  readonly moving: readonly MovingRun[]
  readonly arrive: (id: string) => void
}

/** The lines between the nodes, and the runs on them. The list of calls has the same for screen readers. */
function Lines({ layout, edges, moving, arrive }: LinesProps) {
  const { router } = useServices()
  return (
    <svg aria-hidden="true" className="absolute inset-x-0 top-0 w-full" style={{ height: layout.height }}>
      {edges.map(({ from, to, running }) => (
        <path
          key={`${from} ${to}`}
          d={layout.line(from, to)}
          fill="none"
          data-edge={`${from} ${to}`}
          className={running > 0 ? 'call-edge stroke-accent stroke-2' : 'stroke-line-strong opacity-60'}
        />
      ))}
      {moving.map(({ id, from, to, page }) => {
        const line = layout.line(from, to)
        if (line === undefined) return null
        return (
          <circle
            key={id}
            r="5"
            data-run={page}
            className="call-dot cursor-pointer fill-accent"
            style={{ offsetPath: `path("${line}")` }}
            onAnimationEnd={() => arrive(id)}
            onClick={() => void router.navigate(page)}
          />
        )
      })}
    </svg>
  )
}
