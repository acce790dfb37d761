import { describe, expect, it } from 'vitest'
import { TimeLimitError, withTimeLimit } from '../../../../src/lib/async/time-limit.ts'

const backtrackForEver = () => /^(a+)+$/.test(`${'a'.repeat(60)}!`)

const stubborn = () => {
  try {
    return backtrackForEver()
  } catch {
    return 'caught'
  }
}

describe('withTimeLimit', () => {
  it('breaks off a regular expression that would go on for years', () => {
    expect(() => withTimeLimit(30, backtrackForEver)).toThrow(TimeLimitError)
  })

  it('cannot be held up by code that catches everything', () => {
    expect(() => withTimeLimit(30, stubborn)).toThrow('Took longer than 30 ms')
  })

  it('hands back what the code returns or throws', () => {
    expect(withTimeLimit(1000, () => undefined)).toBeUndefined()
    expect(withTimeLimit(1000, () => withTimeLimit(1000, () => 'inner'))).toBe('inner')
    const error = new TypeError('mine')
    expect(() =>
      withTimeLimit(1000, () => {
        throw error
      }),
    ).toThrow(error)
  })

  it('works again after a time-out', () => {
    expect(() => withTimeLimit(30, backtrackForEver)).toThrow(TimeLimitError)
    expect(withTimeLimit(1000, () => 1)).toBe(1)
  })
})
