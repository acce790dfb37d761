import { describe, expect, it } from 'vitest'
import {
  compensatedPath,
  compensationPath,
  hookPath,
  isHookPath,
  isNestedIn,
  outerPath,
  stepIdAt,
} from '../../../src/contract/step-path.ts'

describe('the path of a compensation', () => {
  it.each([
    ['charge', 'charge:compensate', ''],
    ['all/charge', 'charge:compensate', 'all'],
    ['items[2]', 'items[2]:compensate', 'items'],
    ['items[2]/book', 'book[2]:compensate', 'items[2]'],
  ])('of %s has the id %s, and stands beside its step', (path, id, outer) => {
    const compensation = compensationPath(path)
    expect(stepIdAt(compensation)).toBe(id)
    expect(compensatedPath(compensation)).toBe(path)
    expect(outerPath(compensation)).toBe(outer)
    expect(isNestedIn(compensation, path)).toBe(false)
  })

  it('is not that of a step', () => {
    expect(compensatedPath('charge')).toBeUndefined()
  })
})

describe('the path of a hook', () => {
  it('is that of the hook and of the calls in it', () => {
    expect(isHookPath(hookPath('onEnd'))).toBe(true)
    expect(isHookPath(`${hookPath('onEnd')}/mail`)).toBe(true)
    expect(isHookPath('onEnd')).toBe(false)
  })
})
