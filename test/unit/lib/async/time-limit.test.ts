import { describe, expect, it } from 'vitest'
import { TimeLimitError, withTimeLimit } from '../../../../src/lib/async/time-limit.ts'

const backtrack = () => /^(a+)+$/.test(`${'a'.repeat(60)}!`)

const catchAll = () => {
  try {
    return backtrack()
  } catch {
    return 'caught'
  }
}

describe('withTimeLimit', () => {
  it('terminates a regular expression with catastrophic backtracking', () => {
    expect(() => withTimeLimit(30, backtrack)).toThrow(TimeLimitError)
  })

  it('terminates code that catches all errors', () => {
    expect(() => withTimeLimit(30, catchAll)).toThrow('Exceeded the time limit of 30 ms')
  })

  it('returns and throws like the code', () => {
    expect(withTimeLimit(1000, () => undefined)).toBeUndefined()
    expect(withTimeLimit(1000, () => withTimeLimit(1000, () => 'inner'))).toBe('inner')
    const error = new TypeError('mine')
    expect(() =>
      withTimeLimit(1000, () => {
        throw error
      }),
    ).toThrow(error)
  })

  it('works after a timeout', () => {
    expect(() => withTimeLimit(30, backtrack)).toThrow(TimeLimitError)
    expect(withTimeLimit(1000, () => 1)).toBe(1)
  })
})
