import { describe, expect, it } from 'vitest'
import { changingValues } from '../../../../src/evals/keep/changing-values.ts'

const ID = '0190c2f0-5b1d-7c4e-9a55-0d3f2b9c1a77'
const startedAt = Date.parse('2026-11-22T10:00:00Z')
const ignored = (output: unknown, given: unknown = {}) =>
  Object.keys(changingValues(output, { given, startedAt, endedAt: startedAt + 5000 }))

describe('the rules for the output of a kept run', () => {
  it('ignore UUIDs, instants, times of the run in milliseconds, and redacted values', () => {
    const output = {
      id: ID,
      at: '2026-11-22T10:00:01.250Z',
      local: '2026-11-22T11:00+01:00',
      ms: startedAt + 1000,
      'a/b~c': { key: '[redacted]', text: 'Bearer [redacted] was used' },
      amount: 250,
      year: 2026,
      day: '2026-11-22',
      text: `Order ${ID}`,
      none: null,
    }
    expect(ignored(output)).toEqual(['/id', '/at', '/local', '/ms', '/a~1b~0c/key', '/a~1b~0c/text'])
  })

  it('compare values that the input has', () => {
    expect(ignored({ id: ID, ms: startedAt, at: '2026-11-22T10:00:00Z' }, [ID, { ms: startedAt }])).toEqual([
      '/at',
    ])
  })

  it('name the items of a list once, and an output that changes as a whole never', () => {
    expect(ignored([{ id: ID }, { id: ID.replace('0', '1'), tags: [ID, 'x'] }])).toEqual([
      '/*/id',
      '/*/tags/0',
    ])
    expect(ignored(ID)).toEqual([])
    expect(ignored(undefined)).toEqual([])
  })

  it('are at most a hundred', () => {
    expect(ignored(Array.from({ length: 1000 }, () => ID))).toHaveLength(100)
  })
})
