import { clockTime } from '../ui/time/format-time.ts'
import { serverClock } from '../ui/time/use-now.ts'

/** A shorter lag is not shown: the index follows the changes some hundred milliseconds later. */
const MIN_LAG_MS = 5000

/** Whether records may be missing from a search because its index is behind; `undefined` if it is not. */
export function indexLag({ indexedUntil }: Readonly<Record<string, unknown>>): string | undefined {
  const until = typeof indexedUntil === 'string' ? Date.parse(indexedUntil) : Number.NaN
  if (Number.isNaN(until) || serverClock.now() - until < MIN_LAG_MS) return undefined
  return `The index is catching up: what changed after ${clockTime(until)} may be missing.`
}
