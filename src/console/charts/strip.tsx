export interface StripBar {
  readonly id: string
  /** From 0 to 1. */
  readonly height: number
  /** CSS class such as `fill-ok`. */
  readonly tone: string
  readonly title: string
}

export interface StripProps {
  /** Oldest first; the last 20 are shown. */
  readonly bars: readonly StripBar[]
  readonly label: string
}

const SLOTS = 20
const WIDTH = 6
const HEIGHT = 28
const MIN_HEIGHT = 4

/** A sparkline of bars. */
export function Strip({ bars, label }: StripProps) {
  const shown = bars.slice(-SLOTS)
  return (
    <svg
      viewBox={`0 0 ${SLOTS * WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
      className="h-7 w-full border-b border-line"
    >
      {shown.map(({ id, height, tone, title }, index) => {
        const pixels = Math.max(MIN_HEIGHT, height * HEIGHT)
        return (
          <rect
            key={id}
            x={(SLOTS - shown.length + index) * WIDTH + 0.75}
            y={HEIGHT - pixels}
            width={WIDTH - 1.5}
            height={pixels}
            className={tone}
          >
            <title>{title}</title>
          </rect>
        )
      })}
    </svg>
  )
}
