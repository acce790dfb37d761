import { MarkerType } from '@xyflow/react'
import type { Edge, Node } from '@xyflow/react'
import { useMemo, useRef } from 'react'
import type { Breakpoints } from '../breakpoints/use-breakpoints.ts'
import type { Box, GraphLayout, ParallelFrame } from './graph-layout.ts'
import type { FrameNodeProps, GraphNodeProps } from './graph-node.tsx'
import { sameState } from './step-states.ts'
import type { StepStates } from './step-states.ts'
import type { FlatStep } from './step-tree.ts'

type StepNode = Node<GraphNodeProps['data'], 'step'>
type FrameNode = Node<FrameNodeProps['data'], 'frame'>
export type ShownNode = StepNode | FrameNode

/** The steps as nodes. Nodes with the same state stay the same object, and are not rendered again. */
export function useNodes(
  placed: readonly FlatStep[],
  layout: GraphLayout,
  { states, chosen, breakpoints }: NodeStates,
): ShownNode[] {
  const { boxes, frames } = layout
  const previous = useRef<{ layout: GraphLayout; nodes: ReadonlyMap<string, StepNode> }>(undefined)
  const framed = useMemo(() => frames.map((frame) => frameNode(frame)), [frames])
  const steps = useMemo(() => {
    const old = previous.current?.layout === layout ? previous.current.nodes : undefined
    const nodes = placed.flatMap(({ path, step, parentPath }) => {
      const box = boxes.get(path)
      if (!box) return []
      const breakpoint = step.type === 'group' ? undefined : breakpoints?.ids.has(step.id)
      const data = { step, state: states.get(path), chosen: path === chosen, breakpoint }
      const known = old?.get(path)
      return known && sameData(known.data, data) ? known : nodeOf(path, { parentPath, box, data })
    })
    previous.current = { layout, nodes: new Map(nodes.map((node) => [node.id, node])) }
    return nodes
  }, [placed, layout, boxes, states, chosen, breakpoints])
  // nodes come after the one around them
  return useMemo(() => [...steps, ...framed], [framed, steps])
}

interface NodeStates {
  readonly states: StepStates
  readonly chosen: string | undefined
  readonly breakpoints: Breakpoints | undefined
}

function sameData(one: StepNode['data'], other: StepNode['data']): boolean {
  return (
    one.step === other.step &&
    one.chosen === other.chosen &&
    one.breakpoint === other.breakpoint &&
    sameState(one.state, other.state)
  )
}

interface NodeParts {
  readonly parentPath: string | undefined
  readonly box: Box
  readonly data: StepNode['data']
}

function nodeOf(id: string, { parentPath, box, data }: NodeParts): StepNode {
  return { type: 'step', data, ...placedNode(id, parentPath, box) }
}

/** The frame of steps that ran at the same time: a line around them, which takes no clicks. */
function frameNode({ id, parentPath, box, count }: ParallelFrame): FrameNode {
  const style = { pointerEvents: 'none' } as const
  return { type: 'frame', data: { count }, style, ...placedNode(id, parentPath, box) }
}

function placedNode(id: string, parentPath: string | undefined, { x, y, width, height }: Box) {
  const handle = { x: width / 2, width: 1, height: 1 }
  return {
    id,
    position: { x, y },
    width,
    height,
    // sizes and handles are known: React Flow has nothing to measure
    measured: { width, height },
    handles: [
      { ...handle, type: 'target' as const, position: 'top' as never, y: 0 },
      { ...handle, type: 'source' as const, position: 'bottom' as never, y: height },
    ],
    ...(parentPath !== undefined && { parentId: parentPath }),
  }
}

/** The arrows between steps that run one after the other; other nested steps are inside the frame of their outer step. */
export function useEdges({ arrows, frames }: GraphLayout, states: StepStates): Edge[] {
  const previous = useRef<ReadonlyMap<string, Edge>>(new Map())
  return useMemo(() => {
    // what is in a frame has run
    const ran = new Set(frames.map(({ id }) => id))
    const edges = arrows.map(([source, target]) => {
      const isReached = states.has(target) || ran.has(target)
      const color = isReached ? 'var(--color-text)' : 'var(--color-line-strong)'
      const known = previous.current.get(target)
      return known?.source === source && known.style?.stroke === color ? known : edgeOf(source, target, color)
    })
    previous.current = new Map(edges.map((edge) => [edge.target, edge]))
    return edges
  }, [arrows, frames, states])
}

function edgeOf(source: string, target: string, color: string): Edge {
  return {
    id: `${source}→${target}`,
    source,
    target,
    type: 'smoothstep',
    style: { stroke: color },
    markerEnd: { type: MarkerType.ArrowClosed, color, width: 14, height: 14 },
  }
}
