import { describe, expect, it } from 'vitest'
import { recordedStates, statesAfter } from '../../../src/console/graph/step-states.ts'
import type { StepStates } from '../../../src/console/graph/step-states.ts'
import { placedSteps, recordedSteps } from '../../../src/console/graph/step-tree.ts'
import type { ExecutionEvent } from '../../../src/contract/event.ts'
import type { StepRecord } from '../../../src/contract/execution.ts'
import type { StepDescription } from '../../../src/contract/workflow.ts'

const step = (id: string, type: StepDescription['type'] = 'andThen', steps?: StepDescription[]) => ({
  id,
  name: id.toUpperCase(),
  type,
  purpose: '',
  ...(steps && { steps }),
})
const STEPS = [
  step('charge'),
  step('rates', 'andRace', [step('slow'), step('both', 'andAll', [step('one'), step('two')])]),
  step('big', 'andWhen', [step('approve')]),
]
const PLACED = placedSteps(STEPS)

/** Events, each a second after the one before. */
function after(...events: readonly object[]): StepStates {
  const at = (second: number) => new Date(second * 1000).toISOString()
  const told = events.map((event, second) => ({ executionId: 'x', timestamp: at(second), ...event }))
  return statesAfter(new Map(), told as ExecutionEvent[], PLACED)
}
const statuses = (states: StepStates) =>
  Object.fromEntries([...states].map(([path, { status }]) => [path, status]))
const started = (from: string) => ({ type: 'step-start', from, attempt: 1 })
const completed = (from: string) => ({ type: 'step-complete', from, attempt: 1, durationMs: 5 })

describe('the places of steps', () => {
  it('name each step by the path that records have', () => {
    expect(PLACED.map(({ path, depth }) => [path, depth])).toEqual([
      ['charge', 0],
      ['rates', 0],
      ['rates/slow', 1],
      ['rates/both', 1],
      ['rates/both/one', 2],
      ['rates/both/two', 2],
      ['big', 0],
      ['big/approve', 1],
    ])
  })

  it('can be made of a record, when the workflow is gone', () => {
    const record = (path: string) => ({ path, stepId: path.split('/').at(-1), name: path, type: 'andAll' })
    const steps = recordedSteps(['a', 'b/c', 'b', 'b/c/d'].map(record) as StepRecord[])
    expect(placedSteps(steps).map(({ path }) => path)).toEqual(['a', 'b', 'b/c', 'b/c/d'])
  })
})

describe('the states of steps', () => {
  it('follow attempts, and keep the last one', () => {
    const failed = { type: 'step-error', from: 'charge', attempt: 1, willRetry: true }
    expect(after(started('charge'), failed).get('charge')).toMatchObject({ status: 'running', attempts: 1 })
    const again = { ...started('charge'), attempt: 2 }
    const given = { ...failed, attempt: 2, willRetry: false }
    expect(after(started('charge'), failed, again, given).get('charge')).toMatchObject({
      status: 'error',
      attempts: 2,
      durationMs: 1000,
    })
  })

  it('cancel what a race leaves behind, with all that is nested in it', () => {
    const states = after(...['rates', 'slow', 'both', 'one', 'two'].map(started), completed('slow'))
    const won = statesAfter(states, [completed('rates') as never], PLACED)
    expect(statuses(won)).toEqual({
      rates: 'completed',
      'rates/slow': 'completed',
      'rates/both': 'cancelled',
      'rates/both/one': 'cancelled',
      'rates/both/two': 'cancelled',
    })
  })

  it('wait with the step that suspended, and go on with it', () => {
    const run = [started('charge'), completed('charge'), started('big'), started('approve')]
    const suspended = after(...run, { type: 'workflow-suspended', stepId: 'approve' })
    expect(statuses(suspended)).toEqual({
      charge: 'completed',
      big: 'suspended',
      'big/approve': 'suspended',
    })
    const resumed = { type: 'workflow-resumed', stepId: 'approve', executionId: 'x', timestamp: '' }
    expect(statuses(statesAfter(suspended, [resumed as never], PLACED))).toMatchObject({
      big: 'running',
      'big/approve': 'running',
    })
  })

  it('end with a cancelled execution, and skip what its condition leaves out', () => {
    const skipped = after(started('big'), { type: 'step-skipped', from: 'big' })
    expect(statuses(skipped)).toEqual({ big: 'skipped' })
    expect(statuses(after(started('charge'), { type: 'workflow-cancelled' }))).toEqual({
      charge: 'cancelled',
    })
  })

  it('are those of the record, once it is there', () => {
    const record = { path: 'a/b', status: 'error', attempts: 3, startTime: 't', durationMs: 7, name: 'B' }
    expect([...recordedStates([record as StepRecord])]).toEqual([
      ['a/b', { status: 'error', attempts: 3, startTime: 't', durationMs: 7, childExecutionId: undefined }],
    ])
  })

  it('leave alone what is not declared', () => {
    expect(after(started('unknown')).size).toBe(0)
  })
})
