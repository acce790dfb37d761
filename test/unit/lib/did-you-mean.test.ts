import { describe, expect, it } from 'vitest'
import { didYouMean } from '../../../src/lib/did-you-mean.ts'

describe('what was meant', () => {
  const known = ['order', 'ship-order', 'refund']

  it.each([
    ['ordr', 'order'],
    ['ordre', 'order'],
    ['shiporder', 'ship-order'],
    ['Refund', 'refund'],
  ])('by %s is %s', (word, meant) => {
    expect(didYouMean(word, known)).toBe(meant)
  })

  it('is nothing when no word is near', () => {
    expect(didYouMean('invoice', known)).toBeUndefined()
    expect(didYouMean('order', [])).toBeUndefined()
  })
})
