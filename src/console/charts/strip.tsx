import { durationText } from '../ui/time/format-time.ts'
import { statusText } from '../ui/state/status-badge.tsx'

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

/** A run as a bar. */
interface StripRun {
  readonly id: string
  readonly status: string
  /** Null while it runs. */
  readonly durationMs: number | null
}

const TONES: Readonly<Record<string, string>> = {
  completed: 'fill-ok',
  error: 'fill-error',
  running: 'fill-running',
  suspended: 'fill-suspended',
}

/** A sparkline of the last runs, oldest first: the height is the duration, the colour the status. */
export function RunStrip({ runs }: { readonly runs: readonly StripRun[] }) {
  const shown = runs.slice(-SLOTS)
  const longest = Math.max(1, ...shown.map(({ durationMs }) => durationMs ?? 0))
  const failed = shown.filter(({ status }) => status === 'error').length
  return (
    <Strip
      label={`Last ${shown.length} runs: ${failed} failed, up to ${durationText(longest)}`}
      bars={shown.map(({ id, status, durationMs }) => ({
        id,
        height: (durationMs ?? longest) / longest,
        tone: TONES[status] ?? 'fill-cancelled',
        title: `${statusText(status)}${durationMs === null ? '' : `, ${durationText(durationMs)}`}`,
      }))}
    />
  )
}
