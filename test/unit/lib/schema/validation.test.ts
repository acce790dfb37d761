import { describe, expect, it } from 'vitest'
import { formatIssues, type Issue } from '../../../../src/lib/schema/schema.ts'

describe('formatIssues', () => {
  it('puts the path before each message, in JavaScript notation', () => {
    const issues: Issue[] = [
      { path: ['orderId'], message: 'Required' },
      { path: ['items', 0, 'qty'], message: 'Expected number, received string' },
      { path: ['first name', '0'], message: 'Odd' },
      { path: [], message: 'Wrong' },
    ]
    expect(formatIssues(issues, 'input')).toBe(
      'input.orderId: Required; input.items[0].qty: Expected number, received string; ' +
        'input["first name"]["0"]: Odd; input: Wrong',
    )
  })

  it('accepts an empty root', () => {
    expect(formatIssues([{ path: ['a', 'b'], message: 'Required' }], '')).toBe('a.b: Required')
    expect(formatIssues([{ path: [], message: 'Required' }], '')).toBe('Required')
  })

  it('limits the number of issues and the length of messages and paths', () => {
    const manyIssues = Array.from({ length: 5000 }, (_, index) => ({ path: [index], message: 'Required' }))
    expect(formatIssues(manyIssues, 'input')).toMatch(/input\[19\]: Required; and 4980 more$/)
    const longIssue = { path: Array<string>(500).fill('k'.repeat(10_000)), message: 'm'.repeat(10_000) }
    expect(formatIssues([longIssue], 'input').length).toBeLessThan(2500)
  })
})
