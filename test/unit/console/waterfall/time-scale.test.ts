import { describe, expect, it } from 'vitest'
import { ticksOf, FULL_VIEW, zoomView } from '../../../../src/console/waterfall/ticks.ts'
import { mergeIntervals, timeScale } from '../../../../src/console/waterfall/time-scale.ts'

describe('timeScale', () => {
  it('maps times to positions from 0 to 1, and back', () => {
    const scale = timeScale({ start: 1000, end: 3000 }, [], false)
    expect([scale.at(1000), scale.at(2000), scale.at(3000)]).toEqual([0, 0.5, 1])
    expect(scale.timeAt(0.25)).toBe(1500)
  })

  it('collapses idle time', () => {
    const hour = 3_600_000
    const busy = [
      { start: 0, end: 50 },
      { start: hour, end: hour + 50 },
    ]
    const scale = timeScale({ start: 0, end: hour + 50 }, busy, true)
    expect(scale.gaps.map(({ ms }) => ms)).toEqual([hour - 50])
    expect(scale.at(50)).toBeCloseTo(0.485)
    expect(scale.at(hour)).toBeCloseTo(0.515)
    expect(scale.timeAt(scale.at(25))).toBeCloseTo(25)
    expect(scale.timeAt(scale.at(hour + 25))).toBeCloseTo(hour + 25)
  })

  it('collapses idle time at the end, as while an execution waits', () => {
    const scale = timeScale({ start: 0, end: 10_000 }, [{ start: 0, end: 50 }], true)
    expect(scale.gaps).toHaveLength(1)
    expect(scale.at(50)).toBeCloseTo(0.97)
    expect(scale.at(10_000)).toBe(1)
  })

  it('collapses nothing without idle time or without a duration', () => {
    expect(timeScale({ start: 0, end: 100 }, [{ start: 0, end: 100 }], true).gaps).toEqual([])
    expect(timeScale({ start: 5, end: 5 }, [], true).at(5)).toBe(0)
  })

  it('merges overlapping intervals', () => {
    const intervals = [
      { start: 5, end: 9 },
      { start: 0, end: 3 },
      { start: 2, end: 6 },
      { start: 20, end: 21 },
    ]
    expect(mergeIntervals(intervals)).toEqual([
      { start: 0, end: 9 },
      { start: 20, end: 21 },
    ])
  })
})

describe('ticksOf', () => {
  it('marks round times', () => {
    const scale = timeScale({ start: 0, end: 1000 }, [], false)
    expect(ticksOf(scale, FULL_VIEW).map(({ ms }) => ms)).toEqual([0, 200, 400, 600, 800])
    expect(ticksOf(scale, { from: 0.5, to: 0.6 }).map(({ ms }) => ms)).toEqual([500, 520, 540, 560, 580])
  })

  it('marks nothing within collapsed time', () => {
    const busy = [
      { start: 0, end: 100 },
      { start: 9000, end: 9100 },
    ]
    const scale = timeScale({ start: 0, end: 9100 }, busy, true)
    const marked = ticksOf(scale, FULL_VIEW).map(({ ms }) => ms)
    expect(marked.filter((ms) => ms > 100 && ms < 9000)).toEqual([])
    expect(marked.some((ms) => ms >= 9000)).toBe(true)
  })

  it('zooms around a position, never beyond the whole', () => {
    expect(zoomView(FULL_VIEW, 0.5, 0)).toEqual({ from: 0, to: 0.5 })
    expect(zoomView(FULL_VIEW, 0.5)).toEqual({ from: 0.25, to: 0.75 })
    expect(zoomView({ from: 0.25, to: 0.75 }, 8)).toEqual({ from: 0, to: 1 })
  })
})
