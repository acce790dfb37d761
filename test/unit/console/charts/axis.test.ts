import { describe, expect, it } from 'vitest'
import { fromFirstValue, roundUp } from '../../../../src/console/charts/axis.ts'

describe('the axis of a chart', () => {
  it('ends at a round number that fits the highest value, and has a round middle', () => {
    expect(
      [0, 0.003, 0.066, 0.5, 1, 2, 3, 7, 12, 20, 21, 99, 450, 1001].map((value) => roundUp(value)),
    ).toEqual([0, 0.004, 0.08, 0.6, 1, 2, 4, 8, 20, 20, 40, 100, 600, 2000])
  })

  it('begins with the first value, and has a few bars at least', () => {
    const bars = (...values: number[]) => values.map((value) => ({ values: [value, 0] }))
    expect(fromFirstValue(bars(0, 0, 0, 1, 0, 2), 2)).toEqual(bars(1, 0, 2))
    expect(fromFirstValue(bars(0, 0, 0, 0, 0, 2), 3)).toEqual(bars(0, 0, 2))
    expect(fromFirstValue(bars(3, 0), 6)).toEqual(bars(3, 0))
    expect(fromFirstValue(bars(0, 0, 0), 2)).toEqual([])
  })
})
