import { describe, expect, it } from 'vitest'
import { formatIssues, type Issue } from '../../../../src/lib/schema/schema.ts'

describe('formatIssues', () => {
  it('leads each issue by its path, as it would be written in code', () => {
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

  it('does without a root', () => {
    expect(formatIssues([{ path: ['a', 'b'], message: 'Required' }], '')).toBe('a.b: Required')
    expect(formatIssues([{ path: [], message: 'Required' }], '')).toBe('Required')
  })

  it('stays short however much is wrong', () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({ path: [index], message: 'Required' }))
    expect(formatIssues(many, 'input')).toMatch(/input\[19\]: Required; and 4980 more$/)
    const long = { path: Array<string>(500).fill('k'.repeat(10_000)), message: 'm'.repeat(10_000) }
    expect(formatIssues([long], 'input').length).toBeLessThan(2500)
  })
})
