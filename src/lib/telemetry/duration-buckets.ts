// Durations are counted in buckets of equal ratio, so that percentiles over any number of days are as precise as those of
// one hour: eight buckets each time the duration doubles.

const PER_DOUBLING = 8

/** The largest relative error of a duration from a bucket. Below 10 ms it can be 1 ms. */
export const DURATION_PRECISION = 0.05

/** A bucket of durations, and how many there are in it. */
export interface DurationCount {
  readonly bucket: number
  readonly count: number
}

/** The bucket of a duration in milliseconds; 0 for less than one. */
export function durationBucket(ms: number): number {
  return ms < 1 ? 0 : 1 + Math.round(PER_DOUBLING * Math.log2(ms))
}

/** The duration in the middle of a bucket, in milliseconds. */
export function durationOf(bucket: number): number {
  return bucket <= 0 ? 0 : Math.round(2 ** ((bucket - 1) / PER_DOUBLING))
}

/** The duration that a share of all does not exceed; null if there are none. `counts` are in the order of their buckets. */
export function percentile(counts: readonly DurationCount[], share: number): number | null {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  let left = Math.ceil(total * share)
  for (const { bucket, count } of counts) {
    left -= count
    if (count > 0 && left <= 0) return durationOf(bucket)
  }
  return null
}
