import { durationText } from '../ui/time/format-time.ts'
import { statusText } from '../ui/state/status-badge.tsx'
import { Strip } from './strip.tsx'

/** A run as a bar. */
export interface StripRun {
  readonly id: string
  readonly status: string
  /** Null while it runs. */
  readonly durationMs: number | null
}

const SLOTS = 20

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
