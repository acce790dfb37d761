import { describe, expect, it } from 'vitest'
import type { ExecutionError } from '../../../../src/contract/event.ts'
import { failureGroup } from '../../../../src/engine/record/failure-group.ts'

const ROW = { kind: 'workflow', workflowId: 'payout', parentId: null, forkedFrom: null } as const
const frame = (line: number, text: string) =>
  `  ${line - 1} | const account = input\n> ${line} | ${text}\n    |   ^\n  ${line + 1} | }`
const ERROR: ExecutionError = {
  name: 'Error',
  message: 'Account frozen',
  stepId: 'pay',
  location: { file: 'src/pay.ts', line: 7, column: 9, frame: frame(7, "  throw new Error('frozen')") },
}
const groupOf = (
  error: Partial<ExecutionError> = {},
  row: Partial<Parameters<typeof failureGroup>[1]> = {},
) => failureGroup({ ...ERROR, ...error }, { ...ROW, ...row })

describe('failureGroup', () => {
  it.each([
    ['Order 17 of 3 is gone', 'Order 4 of 12 is gone'],
    ['Account "Ada Lovelace" is frozen', 'Account "Grace" is frozen'],
    ["Can't find 'a b' in the list", "Can't find 'c' in the list"],
    ['No user 7f3c9e4a-0a5b-4b1e-9c6e-2f1d8a7b6c5d', 'No user 00000000-0a5b-4b1e-9c6e-2f1d8a7b6c5d'],
    ['Timeout of ord_12ab after 3.5 s', 'Timeout of ord_99zz after 12 s'],
    ['GET https://api/v1/orders/A-1 failed', 'GET https://api/v1/orders/B-22 failed'],
  ])('is the same for %j and %j', (one, other) => {
    expect(groupOf({ message: one })).toBe(groupOf({ message: other }))
  })

  it.each<[string, Partial<ExecutionError>, Partial<Parameters<typeof failureGroup>[1]>?]>([
    ['another error', { name: 'TypeError' }],
    ['another message', { message: 'Account closed' }],
    ['another step', { stepId: 'charge' }],
    ['another workflow', {}, { workflowId: 'refund' }],
    ['another line of code', { location: { ...ERROR.location!, frame: frame(7, '  fail()') } }],
    ['another file', { location: { ...ERROR.location!, file: 'src/charge.ts' } }],
    [
      'another place of its cause',
      { location: undefined, cause: { ...ERROR, location: { ...ERROR.location!, file: 'src/charge.ts' } } },
    ],
  ])('differs for %s', (_, error, row) => {
    expect(groupOf(error, row)).not.toBe(groupOf())
  })

  it('differs for words between apostrophes within words, which quote nothing', () => {
    expect(groupOf({ message: "can't pay, won't try" })).not.toBe(groupOf({ message: "can't go, won't try" }))
  })

  it('has the place of the cause when the error has none, as that of a parent whose child failed', () => {
    expect(groupOf({ location: undefined, cause: ERROR })).toBe(groupOf())
  })

  it('is the same when a save moves the line', () => {
    const moved = { ...ERROR.location!, line: 12, frame: frame(12, "    throw new Error('frozen')") }
    expect(groupOf({ location: moved })).toBe(groupOf())
  })

  it('is the same for all rounds of a loop', () => {
    expect(groupOf({ stepId: 'price[3]' })).toBe(groupOf({ stepId: 'price[11]' }))
  })

  it('is none for a child, an answer and the replay of a pin', () => {
    expect(groupOf({}, { parentId: 'e1' })).toBeNull()
    expect(groupOf({}, { kind: 'answer' })).toBeNull()
    expect(groupOf({}, { forkedFrom: '{"executionId":"e1","stepId":"pay","pinned":true}' })).toBeNull()
    expect(groupOf({}, { forkedFrom: '{"executionId":"e1","stepId":"pay"}' })).toBe(groupOf())
  })

  it('takes no longer for long messages without spaces', () => {
    expect(groupOf({ message: 'x'.repeat(10_000_000) })).toBe(groupOf({ message: 'x'.repeat(600) }))
  })
})
