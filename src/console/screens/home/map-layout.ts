import type { MapColumn } from './map-nodes.ts'

/** Pixels: the heading of a column, a node with its gap, and the height of a node. */
const HEAD = 24
const ROW = 54
export const NODE_HEIGHT = 46
/** Between two columns, and before the first, from where runs come in. */
export const GAP = 36
export const INSET = 20
/** How far a line to the same column goes into the gap. */
const BEND = 24

interface Place {
  readonly column: number
  readonly y: number
}

/** Where the nodes of a map are, in pixels. */
export interface MapLayout {
  readonly height: number
  /** The line from a node, or from outside, to another; undefined when one of them is not shown. */
  readonly line: (from: string | null, to: string) => string | undefined
}

/** Places nodes in columns that fill `width`. */
export function layOut(columns: readonly MapColumn[], width: number): MapLayout {
  const wide = (width - INSET - GAP * (columns.length - 1)) / columns.length
  const places = new Map<string, Place>(
    columns.flatMap(({ nodes }, column) =>
      nodes.map(({ id }, row) => [id, { column, y: HEAD + row * ROW + NODE_HEIGHT / 2 }] as const),
    ),
  )
  const left = ({ column }: Place) => INSET + column * (wide + GAP)
  const right = (place: Place) => left(place) + wide
  return {
    height: HEAD + ROW * Math.max(0, ...columns.map(({ nodes }) => nodes.length)),
    line: (from, to) => {
      const end = places.get(to)
      if (!end || from === to) return undefined
      if (from === null) return `M${left(end) - INSET} ${end.y}L${left(end)} ${end.y}`
      const start = places.get(from)
      if (!start) return undefined
      const x1 = right(start)
      const isForward = end.column > start.column
      // one to the same or an earlier column goes around its right edge
      const x2 = isForward ? left(end) : right(end)
      const around = Math.max(x1, x2) + BEND
      if (!isForward) return `M${x1} ${start.y}C${around} ${start.y} ${around} ${end.y} ${x2} ${end.y}`
      if (end.column === start.column + 1) return `M${x1} ${start.y}${bend(x1, start.y, x2, end.y)}`
      // behind the columns between, it goes below the row of its start, not behind a node
      const lane = start.y + ROW / 2
      const [out, back] = [x1 + GAP, x2 - GAP]
      return `M${x1} ${start.y}${bend(x1, start.y, out, lane)}L${back} ${lane}${bend(back, lane, x2, end.y)}`
    },
  }
}

/** A curve from a point to one on its right, level at both. */
function bend(x1: number, y1: number, x2: number, y2: number): string {
  const middle = (x1 + x2) / 2
  return `C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`
}
