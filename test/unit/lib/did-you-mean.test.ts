import { describe, expect, it } from 'vitest'
import { didYouMean } from '../../../src/lib/did-you-mean.ts'

describe('didYouMean', () => {
  const known = ['order', 'ship-order', 'refund']

  it.each([
    ['ordr', 'order'],
    ['ordre', 'order'],
    ['shiporder', 'ship-order'],
    ['Refund', 'refund'],
  ])('suggests for %s the word %s', (word, suggestion) => {
    expect(didYouMean(word, known)).toBe(suggestion)
  })

  it('suggests nothing when no word is similar', () => {
    expect(didYouMean('invoice', known)).toBeUndefined()
    expect(didYouMean('order', [])).toBeUndefined()
  })
})
