import { FIGURES } from './figures.ts'
import type { FigureName, Point } from './figures.ts'

const COLUMNS = 2
const CHART = { width: 400, height: 190 }
/** The area of a chart in which points are drawn. */
const AREA = { left: 40, right: 360, top: 60, bottom: 150 }

// readable on light and dark pages, which an image does not know
const STYLE = `text { font: 12px system-ui, sans-serif; fill: #7d8590 }
.title { font-weight: 600 }
.value { text-anchor: middle }
.axis { stroke: #7d8590; stroke-opacity: .5 }
.target { stroke: #d97706; stroke-dasharray: 4 4 }
.target-text { fill: #d97706; text-anchor: end }
.curve { stroke: #3b82f6; stroke-width: 2; fill: none }
circle { fill: #3b82f6 }`

/** Draws how the figures grow with the number of executions: one chart for each figure, with a logarithmic axis of sizes. */
export function curvesOf(points: readonly Point[]): string {
  const names = (Object.keys(FIGURES) as FigureName[]).filter((name) =>
    points.some(({ figure }) => figure === name),
  )
  const charts = names.map((name, index) => {
    const x = (index % COLUMNS) * CHART.width
    const y = Math.floor(index / COLUMNS) * CHART.height
    const own = points.filter(({ figure }) => figure === name)
    return `<g transform="translate(${x} ${y})">\n${chartOf(name, own)}\n</g>`
  })
  const [width, height] = [COLUMNS * CHART.width, Math.ceil(names.length / COLUMNS) * CHART.height]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="How figures grow with the number of executions">
<style>
${STYLE}
</style>
${charts.join('\n')}
</svg>
`
}

function chartOf(name: FigureName, points: readonly Point[]): string {
  const { of, title, unit, ...rest } = FIGURES[name]
  const sizes = points.map(({ size }) => Math.log10(size))
  const [first, last] = [Math.min(...sizes), Math.max(...sizes)]
  const most = Math.max(...points.map(({ value }) => value)) || 1
  const target = 'bar' in rest ? rest.bar.atMost : undefined
  const xOf = (size: number) =>
    round(AREA.left + ((Math.log10(size) - first) / (last - first || 1)) * (AREA.right - AREA.left))
  const yOf = (value: number) => round(AREA.bottom - (value / most) * (AREA.bottom - AREA.top))
  return [
    `<text class="title" x="16" y="20">${of}: ${title} (${unit})</text>`,
    line('axis', AREA.bottom),
    ...(target === undefined ? [] : targetOf(`target ≤ ${target} ${unit}`, target <= most && yOf(target))),
    `<polyline class="curve" points="${points.map(({ size, value }) => `${xOf(size)},${yOf(value)}`).join(' ')}"/>`,
    ...points.flatMap(({ size, value }) => [
      `<circle cx="${xOf(size)}" cy="${yOf(value)}" r="3"/>`,
      `<text class="value" x="${xOf(size)}" y="${yOf(value) - 8}">${valueText(value)}</text>`,
      `<text class="value" x="${xOf(size)}" y="${AREA.bottom + 18}">${size.toLocaleString('en-US')}</text>`,
    ]),
  ].join('\n')
}

/** A target above all points is named, not drawn. */
function targetOf(text: string, y: number | false): string[] {
  return [
    ...(y === false ? [] : [line('target', y)]),
    `<text class="target-text" x="${CHART.width - 16}" y="38">${text}</text>`,
  ]
}

function line(name: string, y: number): string {
  return `<line class="${name}" x1="${AREA.left}" x2="${AREA.right}" y1="${y}" y2="${y}"/>`
}

function valueText(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
