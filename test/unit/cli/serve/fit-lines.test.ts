import { expect, it } from 'vitest'
import { fitSummary } from '../../../../src/cli/serve/fit-lines.ts'

const of = (fits: number, misfits = 0) => [{ id: 'order', fits, misfits, examples: [] }]

it('a summary at the limit names the limit, and that suspended executions come first', () => {
  expect(fitSummary(of(3), 10)).toEqual({ text: 'Open executions: 3 fit the code', fit: true })
  expect(fitSummary(of(1998, 2), 2000)).toEqual({
    text: 'Of 2,000 open executions (limits.compared, suspended ones first), 1,998 fit the code, 2 do not (order: 2): run agentserver check',
    fit: false,
  })
  expect(fitSummary([], 10)).toBeUndefined()
})
