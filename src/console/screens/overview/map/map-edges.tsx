import type { MapColumn, MapEdge } from './map-nodes.ts'

export interface DrawnEdge extends MapEdge {
  readonly running: number
}

/** Pixels: the heading of a column, a node with its gap, and half of a node. */
const HEAD = 24
const ROW = 36
const HALF = 14
/** The coordinates of the drawing across; it is stretched to the width of the columns. */
const WIDTH = 1000
const GAP = 0.06

/** The lines between the nodes. The list of calls has the same for screen readers. */
export function MapEdges(props: {
  readonly columns: readonly MapColumn[]
  readonly edges: readonly DrawnEdge[]
}) {
  const { columns, edges } = props
  const height = HEAD + ROW * Math.max(...columns.map(({ nodes }) => nodes.length))
  const step = WIDTH / columns.length
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
        const x1 = (start.column + 1 - GAP) * step
        const x2 = isForward ? (end.column + GAP) * step : (end.column + 1 - GAP) * step
        const bend = isForward ? (x1 + x2) / 2 : x1 + step * 2 * GAP
        return (
          <path
            key={`${from} ${to}`}
            d={`M${x1} ${start.y}C${bend} ${start.y} ${bend} ${end.y} ${x2} ${end.y}`}
            fill="none"
            vectorEffect="non-scaling-stroke"
            className={running > 0 ? 'call-edge stroke-accent stroke-2' : 'stroke-line-strong opacity-60'}
          />
        )
      })}
    </svg>
  )
}
