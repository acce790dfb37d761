import { durationText } from '../ui/time/format-time.ts'
import { statusText } from '../ui/state/status-badge.tsx'

/** A run as a bar. */
export interface StripRun {
  readonly id: string
  readonly status: string
  /** Null while it runs. */
  readonly durationMs: number | null
}

const SLOTS = 20
const WIDTH = 6
const HEIGHT = 28
const MIN_HEIGHT = 4

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
    <svg
      viewBox={`0 0 ${SLOTS * WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`Last ${shown.length} runs: ${failed} failed, up to ${durationText(longest)}`}
      preserveAspectRatio="none"
      className="h-7 w-full border-b border-line"
    >
      {shown.map(({ id, status, durationMs }, index) => {
        const height = Math.max(MIN_HEIGHT, ((durationMs ?? longest) / longest) * HEIGHT)
        return (
          <rect
            key={id}
            x={(SLOTS - shown.length + index) * WIDTH + 0.75}
            y={HEIGHT - height}
            width={WIDTH - 1.5}
            height={height}
            className={TONES[status] ?? 'fill-cancelled'}
          >
            <title>
              {`${statusText(status)}${durationMs === null ? '' : `, ${durationText(durationMs)}`}`}
            </title>
          </rect>
        )
      })}
    </svg>
  )
}
