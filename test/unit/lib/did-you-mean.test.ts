import { describe, expect, it } from 'vitest'
import { didYouMean, similarWords } from '../../../src/lib/did-you-mean.ts'

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

  it('suggests all names that the word abbreviates or is a part of, if none is similar', () => {
    const commands = ['run-workflow', 'run-tool', 'resume-workflow', 'setup-observability', 'list']
    expect(similarWords('run', commands)).toEqual(['run-workflow', 'run-tool'])
    expect(similarWords('observability', commands)).toEqual(['setup-observability'])
    expect(similarWords('lst', commands)).toEqual(['list'])
    expect(similarWords('worklfow', commands)).toEqual(['run-workflow', 'resume-workflow'])
    expect(similarWords('--exec-id', ['--execution-id', '--id'])).toEqual(['--execution-id'])
    expect(similarWords('re', commands)).toEqual([])
  })

  it('suggests nothing when no word is similar', () => {
    expect(didYouMean('invoice', known)).toBeUndefined()
    expect(didYouMean('order', [])).toBeUndefined()
    expect(didYouMean('c', ['a', 'b'])).toBeUndefined()
  })
})
