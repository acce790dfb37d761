import { ago, durationText, exactTime } from './format-time.ts'
import { useNow } from './use-now.ts'

/** Relative time, with the exact time in its tooltip. */
export function Time({ at }: { readonly at: string | number }) {
  const now = useNow()
  const exact = exactTime(at)
  const date = new Date(at)
  // a server of another version may send none
  if (Number.isNaN(date.getTime())) return null
  return (
    <time dateTime={date.toISOString()} title={exact}>
      {ago(at, now)}
    </time>
  )
}

export interface DurationProps {
  /** Milliseconds; without it the time since `since`, updated every second. */
  readonly ms?: number | null | undefined
  readonly since?: string | undefined
}

/** A duration, or the time elapsed so far. */
export function Duration({ ms, since }: DurationProps) {
  // a server of another version may send no times
  if (Number.isNaN(ms)) return null
  if (typeof ms === 'number') return <span title={`${ms} ms`}>{durationText(ms)}</span>
  return since === undefined ? null : <Running since={since} />
}

function Running({ since }: { readonly since: string }) {
  const now = useNow()
  return <span>{durationText(Math.max(0, now - Date.parse(since)))}</span>
}
