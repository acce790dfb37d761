import { useMemo, useSyncExternalStore } from 'react'
import { serverClock } from '../ui/time/use-now.ts'

const HOUR_MS = 3_600_000

/** The relative ranges of time filters, by their value in the URL. */
export const TIME_RANGES: ReadonlyMap<string, { readonly text: string; readonly ms: number }> = new Map([
  ['15m', { text: 'last 15 minutes', ms: HOUR_MS / 4 }],
  ['1h', { text: 'last hour', ms: HOUR_MS }],
  ['24h', { text: 'last 24 hours', ms: 24 * HOUR_MS }],
  ['7d', { text: 'last 7 days', ms: 168 * HOUR_MS }],
])

/** The start of a relative range, counted from when it was chosen; `from` without one. */
export function useRangeStart(last: string, from: string): string {
  const offset = useSyncExternalStore(serverClock.subscribe, serverClock.offset)
  return useMemo(() => {
    const range = TIME_RANGES.get(last)
    return range === undefined ? from : new Date(Date.now() + offset - range.ms).toISOString()
  }, [last, from, offset])
}
