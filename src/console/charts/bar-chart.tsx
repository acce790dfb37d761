import { roundUp } from './axis.ts'

export interface Bar {
  readonly name: string
  /** Values of the layers, from bottom to top. */
  readonly values: readonly number[]
}

export interface Layer {
  readonly name: string
  /** CSS class such as `fill-ok`. */
  readonly tone: string
}

export interface BarChartProps {
  readonly label: string
  readonly bars: readonly Bar[]
  readonly layers: readonly Layer[]
  /** Totals as text. */
  readonly summary: string
  /** What a bar stands for, as the heading of the first column of the table: `Hour`. */
  readonly unit?: string
  /** The name of the end of the axis. */
  readonly end?: string
  /** The least end of the axis. */
  readonly least?: number
  /** Shows a value on the axis. */
  readonly valueText?: (value: number) => string
  /** A value with a line across the chart. */
  readonly limit?: number | undefined
}

const WIDTH = 12
const GAP = 2
const HEIGHT = 64
/** Of counts, whose half of the axis is a count, too. */
const LEAST = 2

/** A small stacked bar chart, whose axis fits its values, with a table of the same data for screen readers. */
export function BarChart(props: BarChartProps) {
  const { label, bars, layers, summary, unit = 'Hour', end = 'now', valueText = shortCount, limit } = props
  const top = roundUp(Math.max(props.least ?? LEAST, ...bars.map(({ values }) => sum(values))))
  const last = bars.at(-1)
  const width = bars.length * WIDTH
  return (
    <figure className="pt-2">
      <figcaption className="flex flex-wrap justify-between gap-x-4 pb-1">
        <span>{label}</span>
        <span className="text-sm text-dim">{summary}</span>
      </figcaption>
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-2">
        <svg
          viewBox={`0 0 ${width} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          className="h-16 w-full border-b border-t border-b-line-strong border-t-line"
        >
          <line
            x1={0}
            x2={width}
            y1={HEIGHT / 2}
            y2={HEIGHT / 2}
            vectorEffect="non-scaling-stroke"
            className="stroke-line"
          />
          {limit !== undefined && (
            <line
              x1={0}
              x2={width}
              y1={HEIGHT - (limit / top) * HEIGHT}
              y2={HEIGHT - (limit / top) * HEIGHT}
              strokeDasharray="4 3"
              vectorEffect="non-scaling-stroke"
              className="stroke-line-strong"
            />
          )}
          {bars.map((bar, index) => (
            <g key={index}>
              <title>{textOf(bar, layers)}</title>
              <rect x={index * WIDTH} y={0} width={WIDTH} height={HEIGHT} className="fill-transparent" />
              {bar.values.map((value, layer) => {
                const below = sum(bar.values.slice(0, layer))
                const height = (value / top) * HEIGHT
                return (
                  <rect
                    key={layers[layer]?.name}
                    x={index * WIDTH + GAP / 2}
                    y={HEIGHT - (below / top) * HEIGHT - height}
                    width={WIDTH - GAP}
                    height={height}
                    className={layers[layer]?.tone}
                  />
                )
              })}
            </g>
          ))}
        </svg>
        <div
          aria-hidden="true"
          className="flex h-16 flex-col justify-between text-right text-sm leading-none text-dim"
        >
          <span>{valueText(top)}</span>
          <span>{valueText(top / 2)}</span>
          <span>0</span>
        </div>
        <div aria-hidden="true" className="flex justify-between pt-0.5 text-sm text-dim">
          <span>{bars[0]?.name}</span>
          {bars.length > 4 && (
            <span className="max-sm:hidden">{bars[Math.floor(bars.length / 2)]?.name}</span>
          )}
          <span>
            {end}
            {last && (
              <strong className="pl-1.5 font-semibold text-text">{valueText(sum(last.values))}</strong>
            )}
          </span>
        </div>
      </div>
      <table className="sr-only">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">{unit}</th>
            {layers.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map(({ name, values }, bar) => (
            <tr key={bar}>
              <th scope="row">{name}</th>
              {layers.map((layer, index) => (
                <td key={layer.name}>{values[index]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

function textOf({ name, values }: Bar, layers: readonly Layer[]): string {
  const parts = layers.map((layer, index) => `${(values[index] ?? 0).toLocaleString('en-US')} ${layer.name}`)
  return `${name}: ${parts.join(', ')}`
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}

const FORMAT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** A number for an axis: `950`, `1.2K`, `3M`. */
function shortCount(value: number): string {
  return FORMAT.format(value)
}
