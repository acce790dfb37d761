import type { StepDescription } from '../../contract/endpoints/workflow.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** A rectangle; of nested steps relative to the one they are nested in. */
export interface Box extends Size {
  readonly x: number
  readonly y: number
}

/** Where the steps go, by path. */
export type Boxes = ReadonlyMap<string, Box>

const STEP: Size = { width: 184, height: 48 }
/** Between a step and the next, with room for an arrow, and between steps side by side. */
const GAP = { below: 28, beside: 16 } as const
/** Room for the head of a step that has others nested in it. */
const HEAD = 34
const PADDING = 12
/** A frame around one step has room for a name beside a status. */
const AROUND_ONE = 24
/** Steps side by side go on in another row beyond this. */
const WIDEST_ROW = 3 * STEP.width + 2 * GAP.beside

/**
 * Places steps that follow each other from top to bottom, those that run side by side beside each other, nested
 * ones within their step, all in the order in which they are declared. Workflows are nothing but that: there is
 * nothing to search for.
 */
export function layoutSteps(steps: readonly StepDescription[]): Boxes {
  const boxes = new Map<string, Box>()
  const sizes = steps.map((step) => sizeOf(step, step.id, boxes))
  const width = Math.max(0, ...sizes.map((size) => size.width))
  let y = 0
  for (const [index, { id }] of steps.entries()) {
    const size = sizes[index] ?? STEP
    boxes.set(id, { ...size, x: (width - size.width) / 2, y })
    y += size.height + GAP.below
  }
  return boxes
}

/** How large a step is. What is nested in it is placed on the way. */
function sizeOf({ steps = [] }: StepDescription, path: string, boxes: Map<string, Box>): Size {
  if (steps.length === 0) return STEP
  const padding = steps.length === 1 ? AROUND_ONE : PADDING
  let at = { x: 0, y: 0 }
  let row = 0
  let width = 0
  for (const step of steps) {
    const inner = `${path}/${step.id}`
    const size = sizeOf(step, inner, boxes)
    if (at.x > 0 && at.x + size.width > WIDEST_ROW) {
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
