import type { StepDescription } from '../../contract/endpoints/workflow.ts'
import { nestedPath } from './step-tree.ts'
import type { CallRanks } from './step-tree.ts'

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

/** A frame around calls that ran at the same time. */
export interface ParallelFrame {
  readonly id: string
  /** Path of the step around them. */
  readonly parentPath: string | undefined
  readonly box: Box
  readonly count: number
}

/** Where steps are, and the arrows between those that run one after the other. */
export interface GraphLayout {
  readonly boxes: Boxes
  readonly frames: readonly ParallelFrame[]
  /** Ids of steps or frames. */
  readonly arrows: readonly (readonly [source: string, target: string])[]
  readonly size: Size
}

const STEP: Size = { width: 184, height: 48 }
/** Space between consecutive steps, with room for an arrow, and between parallel steps. */
const GAP = { below: 28, beside: 16 } as const
/** Height of the header of a step with nested steps. */
const HEAD = 34
const PADDING = 12
/** Padding around a single nested step, so that its header has room for name and status. */
const AROUND_ONE = 24
/** Height of the text above calls that ran at the same time. */
const FRAME_HEAD = 24
/** Least widths at which parallel steps wrap, and calls that ran at the same time. Many make a square. */
const LEAST_ROW_WIDTH = 3 * STEP.width + 2 * GAP.beside
const LEAST_FRAME_WIDTH = 5 * (STEP.width + 2 * PADDING) + 4 * GAP.beside

/**
 * Computes the layout: consecutive steps from top to bottom, parallel ones side by side, nested ones inside their
 * outer step, all in the given order. Workflows have no other edges, so no layout algorithm is needed.
 */
export function layoutSteps(steps: readonly StepDescription[], ranks: CallRanks = new Map()): GraphLayout {
  const layout = new Layout(ranks)
  const size = layout.column(steps, { outer: undefined, x: 0, y: 0 })
  return { boxes: layout.boxes, frames: layout.frames, arrows: layout.arrows, size }
}

interface Corner {
  /** Path of the step around it. */
  readonly outer: string | undefined
  readonly x: number
  readonly y: number
}

class Layout {
  readonly boxes = new Map<string, Box>()
  readonly frames: ParallelFrame[] = []
  readonly arrows: (readonly [string, string])[] = []
  readonly #ranks: CallRanks

  constructor(ranks: CallRanks) {
    this.#ranks = ranks
  }

  /** Places steps from top to bottom, from a corner on; calls of the same rank in a frame. Returns the size of the column. */
  column(steps: readonly StepDescription[], { outer, x, y }: Corner): Size {
    const rows = this.#rows(steps, outer).map((row) => ({ row, size: this.#sizeOfRow(row, outer) }))
    const width = Math.max(0, ...rows.map(({ size }) => size.width))
    let below = y
    let before: string | undefined
    for (const { row, size } of rows) {
      const box = { ...size, x: x + (width - size.width) / 2, y: below }
      const id = this.#place(row, box, outer)
      if (before !== undefined) this.arrows.push([before, id])
      before = id
      below += size.height + GAP.below
    }
    return { width, height: below - GAP.below - y }
  }

  /** The steps that run one after the other, each with those that run at the same time. */
  #rows(steps: readonly StepDescription[], outer: string | undefined): StepDescription[][] {
    const rows: StepDescription[][] = []
    let last: number | undefined
    for (const step of steps) {
      const rank = this.#ranks.get(nestedPath(outer, step.id))
      if (rank !== undefined && rank === last) rows.at(-1)?.push(step)
      else rows.push([step])
      last = rank
    }
    return rows
  }

  #sizeOfRow(row: readonly StepDescription[], outer: string | undefined): Size {
    const [step] = row
    if (step && row.length === 1) return this.#sizeOf(step, nestedPath(outer, step.id))
    const { width, height } = this.#wrap(row, { outer, x: 0, y: 0 }, LEAST_FRAME_WIDTH)
    return { width: width + 2 * PADDING, height: height + FRAME_HEAD + PADDING }
  }

  /** Places a step, or a frame around several. Returns its id. */
  #place(row: readonly StepDescription[], box: Box, outer: string | undefined): string {
    const [first] = row
    const path = nestedPath(outer, first?.id ?? '')
    if (row.length === 1) {
      this.boxes.set(path, box)
      return path
    }
    for (const { id } of row) this.#move(nestedPath(outer, id), box.x + PADDING, box.y + FRAME_HEAD)
    const id = `${path}…`
    this.frames.push({ id, parentPath: outer, box, count: row.length })
    return id
  }

  #move(path: string, x: number, y: number): void {
    const box = this.boxes.get(path)
    if (box) this.boxes.set(path, { ...box, x: box.x + x, y: box.y + y })
  }

  /** The size of a step. Places its nested steps. */
  #sizeOf({ steps = [], type }: StepDescription, path: string): Size {
    if (steps.length === 0) return STEP
    if (type === 'group' || steps.some(({ id }) => this.#ranks.has(nestedPath(path, id)))) {
      const size = this.column(steps, { outer: path, x: PADDING, y: HEAD })
      return { width: size.width + 2 * PADDING, height: size.height + HEAD + PADDING }
    }
    const padding = steps.length === 1 ? AROUND_ONE : PADDING
    const { width, height } = this.#wrap(steps, { outer: path, x: padding, y: HEAD })
    return { width: width + 2 * padding, height: height + HEAD + PADDING }
  }

  /** Places parallel steps side by side, in as many rows as they need. */
  #wrap(steps: readonly StepDescription[], { outer, x, y }: Corner, least = LEAST_ROW_WIDTH): Size {
    const sizes = steps.map((step) => this.#sizeOf(step, nestedPath(outer, step.id)))
    const area = sizes.reduce(
      (sum, { width, height }) => sum + (width + GAP.beside) * (height + GAP.beside),
      0,
    )
    const most = Math.max(least, Math.sqrt(area))
    let at = { x: 0, y: 0 }
    let row = 0
    let width = 0
    for (const [index, { id }] of steps.entries()) {
      const size = sizes[index] ?? STEP
      if (at.x > 0 && at.x + size.width > most) {
        at = { x: 0, y: at.y + row + GAP.beside }
        row = 0
      }
      this.boxes.set(nestedPath(outer, id), { ...size, x: at.x + x, y: at.y + y })
      width = Math.max(width, at.x + size.width)
      row = Math.max(row, size.height)
      at = { x: at.x + size.width + GAP.beside, y: at.y }
    }
    return { width, height: at.y + row }
  }
}
