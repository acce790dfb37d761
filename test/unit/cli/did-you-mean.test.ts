import { describe, expect, it } from 'vitest'
import { nearest } from '../../../src/cli/did-you-mean.ts'

describe('what was meant', () => {
  const known = ['order', 'ship-order', 'refund']

  it.each([
    ['ordr', 'order'],
    ['ordre', 'order'],
    ['shiporder', 'ship-order'],
    ['Refund', 'refund'],
  ])('by %s is %s', (word, meant) => {
    expect(nearest(word, known)).toBe(meant)
  })

  it('is nothing when no word is near', () => {
    expect(nearest('invoice', known)).toBeUndefined()
    expect(nearest('order', [])).toBeUndefined()
  })
})
