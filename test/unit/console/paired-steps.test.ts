import { describe, expect, it } from 'vitest'
import type { ExecutionDetail, StepRecord } from '../../../src/contract/endpoints/execution.ts'
import { pairedSteps } from '../../../src/console/screens/execution/compare/paired-steps.ts'
import { errorPlace } from '../../../src/console/ui/state/error-location.ts'

function execution(...steps: Partial<StepRecord>[]): ExecutionDetail {
  const base = { status: 'completed', input: null, attempts: 1 }
  return { steps: steps.map((step) => ({ ...base, stepId: step.path, ...step })) } as ExecutionDetail
}

describe('two executions side by side', () => {
  it('pair their steps by place, each in what it differs', () => {
    const one = execution({ path: 'a', output: 1 }, { path: 'b', output: 1 }, { path: 'c' })
    const other = execution(
      { path: 'a', output: 1 },
      { path: 'x' },
      { path: 'b', output: 2, status: 'error' },
    )
    expect(pairedSteps(one, other).map(({ path, differs }) => [path, differs])).toEqual([
      ['a', []],
      ['x', ['only there']],
      ['b', ['status', 'output']],
      ['c', ['only here']],
    ])
  })

  it('make nothing of who lost a race, which a replay does not run again', () => {
    const one = execution({ path: 'race' }, { path: 'race/slow', status: 'cancelled' })
    expect(pairedSteps(one, execution({ path: 'race' }))[1]?.differs).toEqual([])
  })
})

describe('where an error was thrown', () => {
  it.each([
    ['Error: no\n    at execute (src/pay.ts:12:9)\n    at x (src/y.ts:1:1)', 'src/pay.ts:12:9'],
    ['Error: no\n    at src/pay.ts:3:4', 'src/pay.ts:3:4'],
    ['Error: no\n    at x (node_modules/a/b.js:1:2)\n    at async run (src/a.ts:5:6)', 'src/a.ts:5:6'],
    ['Error: at home (really:1:2) nowhere', undefined],
    [undefined, undefined],
  ])('is the first place of the project in the stack %j', (stack, place) => {
    expect(errorPlace(stack)).toBe(place)
  })
})
