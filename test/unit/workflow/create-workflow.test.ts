import { describe, expect, it } from 'vitest'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { describeWorkflow } from '../../../src/workflow/describe.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'

describe('a chain', () => {
  it('returns a new workflow for each step, and leaves the previous one unchanged', () => {
    const one = createWorkflow({ id: 'w' }).andThen({ id: 'a', execute: () => 1 })
    const two = one.andThen({ id: 'b', execute: () => 2 })
    const other = one.andTap({ id: 'c', execute: () => 3 })
    expect([one, two, other].map(({ steps }) => steps.map(({ id }) => id))).toEqual([
      ['a'],
      ['a', 'b'],
      ['a', 'c'],
    ])
    expect(() => Object.assign(one, { id: 'x' })).toThrow(TypeError)
  })

  it('is equivalent to step arguments', () => {
    const make = (id: string) => ({ id, execute: () => 1 })
    const chained = createWorkflow({ id: 'w', purpose: 'p' }).andThen(make('a')).andThen(make('b'))
    const passed = createWorkflow({ id: 'w', purpose: 'p' }, andThen(make('a')), andThen(make('b')))
    const state = { running: false, served: true }
    expect(describeWorkflow(passed, state)).toEqual(describeWorkflow(chained, state))
    expect(passed.andThen(make('c')).steps).toHaveLength(3)
  })
})
