import { MarkerType } from '@xyflow/react'
import type { Edge, Node } from '@xyflow/react'
import { useMemo, useRef } from 'react'
import type { Box, Boxes } from './graph-layout.ts'
import type { GraphNodeProps } from './graph-node.tsx'
import { sameState } from './step-states.ts'
import type { StepStates } from './step-states.ts'
import type { FlatStep } from './step-tree.ts'

export type StepNode = Node<GraphNodeProps['data'], 'step'>

/** The boxes as nodes. One whose state has not changed stays the same object, and is not drawn again. */
export function useNodes(
  placed: readonly FlatStep[],
  boxes: Boxes,
  { states, chosen }: { states: StepStates; chosen: string | undefined },
): StepNode[] {
  const before = useRef<{ boxes: Boxes; nodes: ReadonlyMap<string, StepNode> }>(undefined)
  return useMemo(() => {
    const old = before.current?.boxes === boxes ? before.current.nodes : undefined
    const nodes = placed.flatMap(({ path, step, parentPath }) => {
      const box = boxes.get(path)
      if (!box) return []
      const data = { step, state: states.get(path), chosen: path === chosen }
      const known = old?.get(path)
      return known && sameData(known.data, data) ? known : nodeOf(path, { parentPath, box, data })
    })
    before.current = { boxes, nodes: new Map(nodes.map((node) => [node.id, node])) }
    return nodes
  }, [placed, boxes, states, chosen])
}

function sameData(one: StepNode['data'], other: StepNode['data']): boolean {
  return one.step === other.step && one.chosen === other.chosen && sameState(one.state, other.state)
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
    // sizes and ends of edges are known beforehand: nothing has to be measured
    measured: { width, height },
    handles: [
      { ...handle, type: 'target', position: 'top' as never, y: 0 },
      { ...handle, type: 'source', position: 'bottom' as never, y: height },
    ],
    ...(parentPath !== undefined && { parentId: parentPath }),
    data,
  }
}

/** Steps of the workflow itself follow each other; what is nested stands in its frame. */
export function useEdges(placed: readonly FlatStep[], states: StepStates): Edge[] {
  const before = useRef<ReadonlyMap<string, Edge>>(new Map())
  return useMemo(() => {
    const outer = placed.filter(({ depth }) => depth === 0)
    const edges = outer.slice(1).map(({ path }, index) => {
      const color = states.has(path) ? 'var(--color-text)' : 'var(--color-line-strong)'
      const source = outer[index]?.path ?? ''
      const known = before.current.get(path)
      return known?.source === source && known.style?.stroke === color ? known : edgeOf(source, path, color)
    })
    before.current = new Map(edges.map((edge) => [edge.target, edge]))
    return edges
  }, [placed, states])
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
