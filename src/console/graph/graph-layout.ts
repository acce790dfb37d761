import type { StepDescription } from '../../contract/endpoints/workflow.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** A rectangle, relative to the outer step. */
export interface Box extends Size {
  readonly x: number
  readonly y: number
}

/** The boxes of the steps, by path. */
export type Boxes = ReadonlyMap<string, Box>

const STEP: Size = { width: 184, height: 48 }
/** Space between consecutive steps, with room for an arrow, and between parallel steps. */
const GAP = { below: 28, beside: 16 } as const
/** Height of the header of a step with nested steps. */
const HEAD = 34
const PADDING = 12
/** Padding around a single nested step, so that its header has room for name and status. */
const AROUND_ONE = 24
/** Width at which parallel steps wrap. */
const MAX_ROW_WIDTH = 3 * STEP.width + 2 * GAP.beside

/**
 * Computes the layout: consecutive steps from top to bottom, parallel ones side by side, nested ones inside their
 * outer step, all in declaration order. Workflows have no other edges, so no layout algorithm is needed.
 */
export function layoutSteps(steps: readonly StepDescription[]): Boxes {
  const boxes = new Map<string, Box>()
  column(steps, { prefix: '', x: 0, y: 0 }, boxes)
  return boxes
}

/** Places steps from top to bottom, from a corner on. Returns the size of the column. */
function column(
  steps: readonly StepDescription[],
  { prefix, x, y }: { readonly prefix: string; readonly x: number; readonly y: number },
  boxes: Map<string, Box>,
): Size {
  const sizes = steps.map((step) => sizeOf(step, prefix + step.id, boxes))
  const width = Math.max(0, ...sizes.map((size) => size.width))
  let below = y
  for (const [index, { id }] of steps.entries()) {
    const size = sizes[index] ?? STEP
    boxes.set(prefix + id, { ...size, x: x + (width - size.width) / 2, y: below })
    below += size.height + GAP.below
  }
  return { width, height: below - GAP.below - y }
}

/** The size of a step. Adds the boxes of its nested steps. */
function sizeOf({ steps = [], type }: StepDescription, path: string, boxes: Map<string, Box>): Size {
  if (steps.length === 0) return STEP
  if (type === 'group') {
    const size = column(steps, { prefix: `${path}/`, x: PADDING, y: HEAD }, boxes)
    return { width: size.width + 2 * PADDING, height: size.height + HEAD + PADDING }
  }
  const padding = steps.length === 1 ? AROUND_ONE : PADDING
  let at = { x: 0, y: 0 }
  let row = 0
  let width = 0
  for (const step of steps) {
    const inner = `${path}/${step.id}`
    const size = sizeOf(step, inner, boxes)
    if (at.x > 0 && at.x + size.width > MAX_ROW_WIDTH) {
      at = { x: 0, y: at.y + row + GAP.beside }
      row = 0
    }
    boxes.set(inner, { ...size, x: at.x + padding, y: at.y + HEAD })
    width = Math.max(width, at.x + size.width)
    row = Math.max(row, size.height)
    at = { x: at.x + size.width + GAP.beside, y: at.y }
  }
  return { width: width + 2 * padding, height: at.y + row + HEAD + PADDING }
}
