import { describe, expect, it } from 'vitest'
import { aroundChange } from '../../../../src/console/json/around-change.ts'

const SAME = 'x'.repeat(200)

describe('aroundChange', () => {
  it('keeps sixty characters of what is the same on each side of a change', () => {
    const context = 'x'.repeat(60)
    expect(aroundChange(`${SAME}one${SAME}`, `${SAME}two${SAME}`)).toEqual([
      `…${context}one${context}…`,
      `…${context}two${context}…`,
    ])
  })

  it('shows an insertion, a deletion and short texts as they are', () => {
    expect(aroundChange('ab', 'aab')).toEqual(['ab', 'aab'])
    expect(aroundChange(SAME, `${SAME}x`)).toEqual([`…${'x'.repeat(60)}`, `…${'x'.repeat(61)}`])
    expect(aroundChange('', 'a')).toEqual(['', 'a'])
  })

  it('leaves values that are not texts', () => {
    expect(aroundChange(1, { a: 2 })).toEqual([1, { a: 2 }])
    expect(aroundChange(undefined, SAME)).toEqual([undefined, SAME])
  })
})
