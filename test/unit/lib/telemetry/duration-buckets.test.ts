import { expect, it } from 'vitest'
import {
  DURATION_PRECISION,
  durationBucket,
  durationOf,
  percentile,
} from '../../../../src/lib/telemetry/duration-buckets.ts'

it('a duration is known from its bucket within the precision, or a millisecond', () => {
  const durations = [
    ...Array.from({ length: 2000 }, (_, ms) => ms),
    ...Array.from({ length: 200 }, (_, n) => Math.round(2000 * 1.1 ** n)),
  ]
  const wrong = durations.filter((ms) => {
    const error = Math.abs(durationOf(durationBucket(ms)) - ms)
    return error > Math.max(1, ms * DURATION_PRECISION)
  })
  expect(wrong).toEqual([])
  expect(durationBucket(7 * 86_400_000)).toBeLessThan(256)
})

it('percentiles are those of the durations', () => {
  const counts = [10, 20, 30, 40, 1024].map((ms) => ({ bucket: durationBucket(ms), count: 20 }))
  const shares = [0, 0.2, 0.21, 0.5, 0.8, 0.81, 0.95, 1]
  const exact = [10, 10, 20, 30, 40, 1024, 1024, 1024]
  const wrong = shares.filter((share, index) => {
    const ms = exact[index] ?? 0
    return Math.abs((percentile(counts, share) ?? 0) - ms) > Math.max(1, ms * DURATION_PRECISION)
  })
  expect(wrong).toEqual([])
  expect(percentile([{ bucket: 9, count: 1 }], 0.95)).toBe(2)
  expect(percentile([], 0.5)).toBeNull()
})
