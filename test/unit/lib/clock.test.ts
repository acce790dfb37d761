import { afterEach, describe, expect, it, vi } from 'vitest'
import { preciseTime } from '../../../src/lib/clock.ts'

describe('preciseTime', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('is never behind the system clock, and at most 3 ms ahead of it', () => {
    const now = preciseTime()
    const until = Date.now() + 20
    for (let wall = Date.now(); wall < until; wall = Date.now()) {
      const time = now()
      expect(time).toBeGreaterThanOrEqual(wall)
      expect(time).toBeLessThanOrEqual(Date.now() + 3)
    }
  })

  it('has fractions of a millisecond', () => {
    const now = preciseTime()
    const times = Array.from({ length: 100 }, now)
    expect(times.some((time) => !Number.isInteger(time))).toBe(true)
  })

  it.each([-3_600_000, 3_600_000])('follows a change of the system clock by %i ms', (change) => {
    const now = preciseTime()
    now()
    const set = Date.now() + change
    vi.spyOn(Date, 'now').mockReturnValue(set)
    expect(now()).toBe(set)
  })
})
