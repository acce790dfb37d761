import { ago, durationText, exactTime } from './format-time.ts'
import { useNow } from './use-now.ts'

/** How long ago, with the exact instant beside the pointer. */
export function Time({ at }: { readonly at: string | number }) {
  const now = useNow()
  const exact = exactTime(at)
  return (
    <time dateTime={new Date(at).toISOString()} title={exact}>
      {ago(at, now)}
    </time>
  )
}

export interface DurationProps {
  /** Milliseconds; without them the time since `since`, which goes on. */
  readonly ms?: number | null | undefined
  readonly since?: string | undefined
}

/** How long something took, or has taken so far. */
export function Duration({ ms, since }: DurationProps) {
  if (typeof ms === 'number') return <span title={`${ms} ms`}>{durationText(ms)}</span>
  return since === undefined ? null : <Running since={since} />
}

function Running({ since }: { readonly since: string }) {
  const now = useNow()
  return <span>{durationText(Math.max(0, now - Date.parse(since)))}</span>
}
