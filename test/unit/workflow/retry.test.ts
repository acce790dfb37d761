import { describe, expect, it } from 'vitest'
import { NonRetryableError, retryDelay, retryPolicy } from '../../../src/step/retry.ts'

describe('retries', () => {
  it('default to none', () => {
    expect(retryPolicy(undefined).limit).toBe(0)
  })

  it('given as a number have delays of 1, 2, 4 … seconds, at most 30', () => {
    const policy = retryPolicy(7)
    expect(policy.limit).toBe(7)
    const delays = [1, 2, 3, 4, 5, 6, 7].map((retry) => retryDelay(policy, retry, 0.5))
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  })

  it('use the declared delays', () => {
    const policy = retryPolicy({ limit: 3, delayMs: 10, factor: 3, maxDelayMs: 50 })
    expect([1, 2, 3].map((retry) => retryDelay(policy, retry, 0.5))).toEqual([10, 30, 50])
    const steady = retryPolicy({ limit: 3, delayMs: 10, factor: 1 })
    expect([1, 2, 3].map((retry) => retryDelay(steady, retry, 0.5))).toEqual([10, 10, 10])
  })

  it('are earlier by a random share with jitter', () => {
    const policy = retryPolicy({ limit: 3, delayMs: 100, jitter: 0.5 })
    expect([0, 0.5, 0.99].map((random) => retryDelay(policy, 1, random))).toEqual([100, 75, 51])
    expect(retryDelay(retryPolicy({ limit: 1, delayMs: 100, jitter: 1 }), 1, 0.999)).toBe(0)
  })

  it('have a finite delay after any number of retries', () => {
    expect(retryDelay(retryPolicy(5000), 5000, 0)).toBe(30_000)
    expect(retryDelay(retryPolicy({ limit: 5000, delayMs: 0 }), 5000, 0)).toBe(0)
  })
})

describe('NonRetryableError', () => {
  it('is an error with a cause, and has a name that identifies it across copies of the package', () => {
    const cause = new Error('why')
    const error = new NonRetryableError('for good', { cause })
    expect(error).toMatchObject({ name: 'NonRetryableError', message: 'for good', cause })
  })
})
