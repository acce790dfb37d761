import { describe, expect, it } from 'vitest'
import type { ExecutionDetail, StepRecord } from '../../../../../src/contract/endpoints/execution.ts'
import { pairSteps } from '../../../../../src/console/screens/execution/pair-steps.ts'

function execution(...steps: Partial<StepRecord>[]): ExecutionDetail {
  const base = { status: 'completed', input: null, attempts: 1 }
  return { steps: steps.map((step) => ({ ...base, stepId: step.path, ...step })) } as ExecutionDetail
}

describe('pairSteps', () => {
  it('pairs steps by path and names what differs', () => {
    const one = execution({ path: 'a', output: 1 }, { path: 'b', output: 1 }, { path: 'c' })
    const other = execution(
      { path: 'a', output: 1 },
      { path: 'x' },
      { path: 'b', output: 2, status: 'error' },
    )
    expect(pairSteps(one, other).map(({ path, differs }) => [path, differs])).toEqual([
      ['a', []],
      ['x', ['only in other']],
      ['b', ['status', 'output']],
      ['c', ['only in this']],
    ])
  })

  it('ignores the loser of a race, which a replay does not run again', () => {
    const one = execution({ path: 'race' }, { path: 'race/slow', status: 'cancelled' })
    expect(pairSteps(one, execution({ path: 'race' }))[1]?.differs).toEqual([])
  })
})
