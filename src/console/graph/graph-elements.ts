import { MarkerType } from '@xyflow/react'
import type { Edge, Node } from '@xyflow/react'
import { useMemo, useRef } from 'react'
import type { Breakpoints } from '../breakpoints/use-breakpoints.ts'
import type { Box, Boxes } from './graph-layout.ts'
import type { GraphNodeProps } from './graph-node.tsx'
import { sameState } from './step-states.ts'
import type { StepStates } from './step-states.ts'
import type { FlatStep } from './step-tree.ts'

export type StepNode = Node<GraphNodeProps['data'], 'step'>

/** The steps as nodes. Nodes with the same state stay the same object, and are not rendered again. */
export function useNodes(
  placed: readonly FlatStep[],
  boxes: Boxes,
  { states, chosen, breakpoints }: NodeStates,
): StepNode[] {
  const previous = useRef<{ boxes: Boxes; nodes: ReadonlyMap<string, StepNode> }>(undefined)
  return useMemo(() => {
    const old = previous.current?.boxes === boxes ? previous.current.nodes : undefined
    const nodes = placed.flatMap(({ path, step, parentPath }) => {
      const box = boxes.get(path)
      if (!box) return []
      const breakpoint = step.type === 'group' ? undefined : breakpoints?.ids.has(step.id)
      const data = { step, state: states.get(path), chosen: path === chosen, breakpoint }
      const known = old?.get(path)
      return known && sameData(known.data, data) ? known : nodeOf(path, { parentPath, box, data })
    })
    previous.current = { boxes, nodes: new Map(nodes.map((node) => [node.id, node])) }
    return nodes
  }, [placed, boxes, states, chosen, breakpoints])
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
  const { x, y, width, height } = box
  const handle = { x: width / 2, width: 1, height: 1 }
  return {
    id,
    type: 'step',
    position: { x, y },
    width,
    height,
    // sizes and handles are known: React Flow has nothing to measure
    measured: { width, height },
    handles: [
      { ...handle, type: 'target', position: 'top' as never, y: 0 },
      { ...handle, type: 'source', position: 'bottom' as never, y: height },
    ],
    ...(parentPath !== undefined && { parentId: parentPath }),
    data,
  }
}

/** Edges between the steps of the workflow and those of a group; other nested steps are inside the frame of their outer step. */
export function useEdges(placed: readonly FlatStep[], states: StepStates): Edge[] {
  const previous = useRef<ReadonlyMap<string, Edge>>(new Map())
  return useMemo(() => {
    const edges = consecutive(placed).map(([source, path]) => {
      const color = states.has(path) ? 'var(--color-text)' : 'var(--color-line-strong)'
      const known = previous.current.get(path)
      return known?.source === source && known.style?.stroke === color ? known : edgeOf(source, path, color)
    })
    previous.current = new Map(edges.map((edge) => [edge.target, edge]))
    return edges
  }, [placed, states])
}

/** The paths of each step and the one before it, where steps run one after the other. */
function consecutive(placed: readonly FlatStep[]): (readonly [string, string])[] {
  const groups = new Set(placed.flatMap(({ path, step }) => (step.type === 'group' ? [path] : [])))
  const before = new Map<string | undefined, string>()
  return placed.flatMap(({ path, parentPath }) => {
    if (parentPath !== undefined && !groups.has(parentPath)) return []
    const source = before.get(parentPath)
    before.set(parentPath, path)
    return source === undefined ? [] : [[source, path] as const]
  })
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
