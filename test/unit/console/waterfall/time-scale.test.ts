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
  const WIDTH = 800
  const texts = (...args: Parameters<typeof ticksOf>) => ticksOf(...args).map(({ text }) => text)

  it('marks round times, as many as the width has room for', () => {
    const scale = timeScale({ start: 0, end: 1000 }, [], false)
    expect(texts(scale, FULL_VIEW, WIDTH)).toEqual(['0', '200 ms', '400 ms', '600 ms', '800 ms'])
    expect(ticksOf(scale, { from: 0.5, to: 0.6 }, WIDTH).map(({ ms }) => Math.round(ms))).toEqual([
      500, 520, 540, 560, 580,
    ])
    expect(texts(scale, FULL_VIEW, 300)).toEqual(['0', '500 ms'])
    expect(texts(scale, FULL_VIEW, 0)).toEqual([])
  })

  it.each([120, 200, 320, 500, 900, 2000])('leaves each label its room on %i pixels', (width) => {
    const busy = [0, 7000, 90_000, 4_000_000].map((start) => ({ start, end: start + 900 }))
    const scale = timeScale({ start: 0, end: 4_000_900 }, busy, true)
    const ticks = ticksOf(scale, FULL_VIEW, width)
    expect(ticks.length).toBeGreaterThan(0)
    // a digit of the font has 7 pixels at most
    const ends = ticks.map(({ left, text }) => (left / 100) * width + text.length * 7)
    const starts = ticks.map(({ left }) => (left / 100) * width)
    expect(starts.slice(1).filter((start, index) => start <= (ends[index] ?? 0))).toEqual([])
    expect(Math.max(...ends)).toBeLessThanOrEqual(width)
  })

  it('marks nothing within collapsed time, and offsets after it', () => {
    const busy = [
      { start: 0, end: 1000 },
      { start: 7_200_000, end: 7_201_000 },
    ]
    const scale = timeScale({ start: 0, end: 7_201_000 }, busy, true)
    expect(texts(scale, FULL_VIEW, 1000)).toEqual([
      '0',
      '200 ms',
      '400 ms',
      '600 ms',
      '800 ms',
      '2 h',
      '+200 ms',
      '+400 ms',
      '+600 ms',
      '+800 ms',
    ])
    const marked = ticksOf(scale, FULL_VIEW, 1000).map(({ ms }) => ms)
    expect(marked.filter((ms) => ms > 1000 && ms < 7_200_000)).toEqual([])
    // also when only the part after it is in view
    expect(texts(scale, { from: 0.75, to: 1 }, 500)[0]).toMatch(/^\+/)
  })

  it('zooms around a position, never beyond the whole', () => {
    expect(zoomView(FULL_VIEW, 0.5, 0)).toEqual({ from: 0, to: 0.5 })
    expect(zoomView(FULL_VIEW, 0.5)).toEqual({ from: 0.25, to: 0.75 })
    expect(zoomView({ from: 0.25, to: 0.75 }, 8)).toEqual({ from: 0, to: 1 })
  })
})
