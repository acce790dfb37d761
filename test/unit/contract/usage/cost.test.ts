import { describe, expect, test } from 'vitest'
import { formatCost, sumCosts } from '../../../../src/contract/usage/cost.ts'

describe('a sum of costs', () => {
  test('has no rounding errors', () => {
    expect(sumCosts([0.1, 0.2])).toBe(0.3)
    expect(sumCosts(Array.from({ length: 10_000 }, () => 0.000_000_1))).toBe(0.001)
    expect(sumCosts([])).toBe(0)
  })

  test('is unknown when a part is unknown', () => {
    expect(sumCosts([0.1, null, 0.2])).toBeNull()
  })
})

test.each([
  [0, '$0'],
  [0.000_000_4, '< $0.000001'],
  [0.000_012_3, '$0.000012'],
  [0.002_149, '$0.0021'],
  [0.05, '$0.05'],
  [0.1234, '$0.1234'],
  [12.345_6, '$12.35'],
  [1234.5, '$1,234.50'],
])('a cost of %d dollars is shown as %s', (usd, text) => {
  expect(formatCost(usd)).toBe(text)
})
