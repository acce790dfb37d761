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
}

const WIDTH = 12
const GAP = 2
const HEIGHT = 64

/** A small stacked bar chart, with a table of the same data for screen readers. */
export function BarChart({ label, bars, layers, summary }: BarChartProps) {
  const highest = Math.max(1, ...bars.map(({ values }) => sum(values)))
  const width = bars.length * WIDTH
  return (
    <figure className="pt-2">
      <figcaption className="flex flex-wrap justify-between gap-x-4 pb-1">
        <span>{label}</span>
        <span className="text-sm text-dim">{summary}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        className="h-16 w-full border-b border-line-strong"
      >
        {bars.map((bar, index) => (
          <g key={bar.name}>
            <title>{textOf(bar, layers)}</title>
            <rect x={index * WIDTH} y={0} width={WIDTH} height={HEIGHT} className="fill-transparent" />
            {bar.values.map((value, layer) => {
              const below = sum(bar.values.slice(0, layer))
              const height = (value / highest) * HEIGHT
              return (
                <rect
                  key={layers[layer]?.name}
                  x={index * WIDTH + GAP / 2}
                  y={HEIGHT - (below / highest) * HEIGHT - height}
                  width={WIDTH - GAP}
                  height={height}
                  className={layers[layer]?.tone}
                />
              )
            })}
          </g>
        ))}
      </svg>
      <div aria-hidden="true" className="flex justify-between text-xs text-dim">
        <span>{bars[0]?.name}</span>
        <span>
          {highest > 1 || sum(bars.flatMap(({ values }) => values)) > 0
            ? `max ${highest.toLocaleString('en-US')}`
            : ''}
        </span>
        <span>now</span>
      </div>
      <table className="sr-only">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">Hour</th>
            {layers.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map(({ name, values }) => (
            <tr key={name}>
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
