/** The instants of a schedule, in milliseconds since the epoch. */
export interface Instants {
  /** The first one after `after`; `undefined` if there is none. */
  next(after: number): number | undefined
}

/** After this many instants other work gets a turn: an instant of a cron expression takes about 0.1 ms. */
const SLICE = 100

/** The multiples of an interval since 1970-01-01T00:00Z, so that they are the same in every process. */
export function everyInstants(intervalMs: number): Instants {
  return { next: (after) => (Math.floor(after / intervalMs) + 1) * intervalMs }
}

/** The next `count` instants after `after`. */
export function nextInstants(instants: Instants, after: number, count: number): number[] {
  const found: number[] = []
  for (let at = instants.next(after); at !== undefined && found.length < count; at = instants.next(at))
    found.push(at)
  return found
}

/** The newest `limit` instants from `from`, an instant itself, to `to`, both inclusive, in order. */
export async function newestInstants(
  instants: Instants,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
): Promise<number[]> {
  const gap = (instants.next(from) ?? to) - from
  for (let window = Math.max(gap, 1) * limit; ; window *= 2) {
    const start = to - window
    const found = await instantsBetween(instants, { after: Math.max(start, from - 1), to, limit })
    if (found.length >= limit || start < from) return found
  }
}

/** The newest `limit` instants after `after` up to `to`, in order. */
export async function instantsBetween(
  instants: Instants,
  { after, to, limit }: { readonly after: number; readonly to: number; readonly limit: number },
): Promise<number[]> {
  const found: number[] = []
  let count = 0
  for (let at = instants.next(after); at !== undefined && at <= to; at = instants.next(at)) {
    found.push(at)
    if (found.length > 2 * limit) found.splice(0, found.length - limit)
    if (++count % SLICE === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  return found.slice(-limit)
}
