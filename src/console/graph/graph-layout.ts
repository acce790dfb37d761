import { graphlib, layout } from '@dagrejs/dagre'
import type { StepDescription } from '../../contract/workflow.ts'

/** A rectangle; of nested steps relative to the one they are nested in. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Where the steps go, by path. */
export type Boxes = ReadonlyMap<string, Box>

const STEP = { width: 200, height: 48 } as const
/** Room for the head of a step that has others nested in it. */
const HEAD = 34
const PADDING = 12
const LEVEL = { rankdir: 'TB', ranker: 'longest-path', rankalign: 'top', ranksep: 28, nodesep: 16 } as const
/** Steps side by side in one row. */
const ROW = 4

/** Places steps from top to bottom, those that run side by side beside each other, nested ones within their step. */
export function placeSteps(steps: readonly StepDescription[]): Boxes {
  const boxes = new Map<string, Box>()
  placeLevel(steps, { prefix: '', next: 1, boxes })
  return boxes
}

interface Level {
  readonly prefix: string
  /** How many places on the step stands that comes below a step: 1 where each follows the one before. */
  readonly next: number
  readonly boxes: Map<string, Box>
}

function placeLevel(steps: readonly StepDescription[], { prefix, next, boxes }: Level) {
  const graph = new graphlib.Graph()
  graph.setGraph({ ...LEVEL })
  graph.setDefaultEdgeLabel(() => ({}))
  const paths = steps.map(({ id }) => prefix + id)
  for (const [index, step] of steps.entries()) {
    const path = paths[index] ?? ''
    const inner = step.steps?.length
      ? placeLevel(step.steps, { prefix: `${path}/`, next: ROW, boxes })
      : undefined
    graph.setNode(path, inner ? around(inner) : { ...STEP })
    const before = paths[index - next]
    if (before !== undefined) graph.setEdge(before, path)
  }
  layout(graph)
  const offset = { x: prefix === '' ? 0 : PADDING, y: prefix === '' ? 0 : HEAD }
  for (const path of paths) {
    const { x, y, width, height } = graph.node(path) as Box
    // dagre names the middle
    boxes.set(path, { x: x - width / 2 + offset.x, y: y - height / 2 + offset.y, width, height })
  }
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return { width, height }
}

function around({ width, height }: { width: number; height: number }) {
  return { width: width + 2 * PADDING, height: height + HEAD + PADDING }
}
