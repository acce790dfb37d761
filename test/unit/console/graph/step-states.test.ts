import { describe, expect, it } from 'vitest'
import { isPartlyFailed, stepStates, sameState } from '../../../../src/console/graph/step-states.ts'
import { executionSteps, flattenSteps, pathInTree } from '../../../../src/console/graph/step-tree.ts'
import type { StepRecord } from '../../../../src/contract/endpoints/execution.ts'
import type { StepDescription } from '../../../../src/contract/endpoints/workflow.ts'

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
const PLACED = flattenSteps(STEPS)

describe('pathInTree', () => {
  it('finds the place of steps in groups and rounds', () => {
    const group = (id: string, ids: string[]) =>
      step(
        id,
        'group',
        ids.map((one) => step(one)),
      )
    const placed = flattenSteps([
      step('all', 'andAll', [group('all#1', ['a', 'b']), step('c')]),
      step('lines', 'andForEach', [group('lines#1', ['d', 'e'])]),
      step('items', 'andForEach', [step('f', 'andAll', [step('g')])]),
    ])
    const paths = [
      'all',
      'all/a',
      'all/b',
      'all/c',
      'lines',
      'lines[3]',
      'lines[3]/e',
      'items[0]',
      'items[0]/g',
    ]
    expect(paths.map((path) => pathInTree(path, placed))).toEqual([
      'all',
      'all/all#1/a',
      'all/all#1/b',
      'all/c',
      'lines',
      'lines/lines#1',
      'lines/lines#1/e',
      'items/f',
      'items/f/g',
    ])
    expect(pathInTree('gone[2]/h', placed)).toBe('gone[2]/h')
  })
})

describe('flattenSteps', () => {
  it('names each step by the path of its record', () => {
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

  it('works on the steps of a record when the workflow no longer exists', () => {
    const { steps } = executionSteps([], recorded(['a', 'b/c', 'b', 'b/c/d']))
    expect(flattenSteps(steps).map(({ path }) => path)).toEqual(['a', 'b', 'b/c', 'b/c/d'])
  })
})

/** Records of steps, and events such as `+a` and `-a` for the start and the end of a. */
function recorded(paths: string[], story: string[] = []) {
  const steps = paths.map((path) => ({ path, stepId: path.split('/').at(-1), name: path, type: 'andThen' }))
  const events = story.map((text) => {
    const path = text.slice(1)
    const type = { '+': 'step-start', '-': 'step-complete', '!': 'step-error' }[text[0] ?? '']
    return { type, from: path.split('/').at(-1), ...(path.includes('/') && { path }) }
  })
  return { steps, events } as unknown as Parameters<typeof executionSteps>[1]
}

describe('executionSteps', () => {
  const FUNCTION = [step('order', 'function')]
  const ranksOf = ({ ranks }: ReturnType<typeof executionSteps>) => Object.fromEntries(ranks)

  it('has the calls of a function in the order of their start, with those that ran at the same time', () => {
    const record = recorded(
      ['z', 'b', 'a', 'last'],
      ['+z', '-z', '+b', '+a', '-a', '-b', '+last', '!last', '+last'],
    )
    const found = executionSteps(FUNCTION, record)
    expect(found.steps.map(({ id }) => id)).toEqual(['z', 'b', 'a', 'last'])
    expect(ranksOf(found)).toEqual({ z: 0, b: 1, a: 1, last: 2 })
    expect(executionSteps(FUNCTION, recorded([])).steps).toBe(FUNCTION)
  })

  it('ranks calls that a pool starts one after the other by what had ended before', () => {
    const story = ['+a', '+b', '-a', '+c', '-b', '+d', '-c', '+e', '-d', '-e']
    expect(ranksOf(executionSteps(FUNCTION, recorded(['a', 'b', 'c', 'd', 'e'], story)))).toEqual({
      a: 0,
      b: 0,
      c: 1,
      d: 1,
      e: 2,
    })
  })

  it('has the calls that a replay has copied, of which it has no events, before its own', () => {
    const found = executionSteps(FUNCTION, recorded(['copied', 'other', 'new'], ['+new']))
    expect(ranksOf(found)).toEqual({ copied: 0, other: 1, new: 2 })
  })

  it('has nested calls, those of declared steps and of groups, and compensations', () => {
    const declared = [
      step('book', 'andThen'),
      step('try', 'andTry', [step('try#1', 'group', [step('pay')]), step('undo')]),
    ]
    const record = recorded([
      'book',
      'book/fetch',
      'book/fetch/inner',
      'try',
      'try/pay',
      'try/pay/charge',
      'book:compensate',
      'lines[3]/x',
    ])
    const { steps, ranks } = executionSteps(declared, record)
    expect(flattenSteps(steps).map(({ path }) => path)).toEqual([
      'book',
      'book/fetch',
      'book/fetch/inner',
      'try',
      'try/try#1',
      'try/try#1/pay',
      'try/try#1/pay/charge',
      'try/undo',
      'book:compensate',
    ])
    expect([...ranks.keys()]).toEqual([
      'book/fetch',
      'book/fetch/inner',
      'try/try#1/pay/charge',
      'book:compensate',
    ])
    expect(pathInTree('try/pay/charge', flattenSteps(steps))).toBe('try/try#1/pay/charge')
  })

  it('places ten thousand calls in a moment', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `c${index}`)
    const record = recorded(
      ids,
      ids.flatMap((id) => [`+${id}`, `-${id}`]),
    )
    const start = performance.now()
    const { steps } = executionSteps(FUNCTION, record)
    expect(stepStates(record.steps, flattenSteps(steps)).size).toBe(10_000)
    // in one step for each call, not for each pair
    expect(performance.now() - start).toBeLessThan(5000)
  })
})

describe('stepStates', () => {
  it('has the state of each recorded step', () => {
    const record = { path: 'a/b', status: 'error', attempts: 3, startTime: 't', durationMs: 7, name: 'B' }
    const states = stepStates([record as StepRecord], [])
    expect([...states.keys()]).toEqual(['a/b'])
    expect(states.get('a/b')).toMatchObject({ status: 'error', attempts: 3, durationMs: 7 })
  })

  it('has the state of the last round at the place of the step of a loop', () => {
    const placed = flattenSteps([
      step('lines', 'andForEach', [step('pair', 'andAll', [step('a'), step('b')])]),
    ])
    const record = (path: string, status: string) => ({ path, status, attempts: 1, startTime: 't' })
    const states = stepStates(
      [
        { ...record('lines', 'running'), progress: { done: 1, total: 3 } },
        record('lines[0]', 'completed'),
        record('lines[1]', 'running'),
        record('lines[1]/a', 'error'),
      ] as StepRecord[],
      placed,
    )
    expect([...states].map(([path, { status }]) => `${path} ${status}`)).toEqual([
      'lines running',
      'lines/pair running',
      'lines/pair/a error',
    ])
    expect(states.get('lines')?.progress).toEqual({ done: 1, total: 3 })
  })

  it('counts the failed items at the loop and at its step', () => {
    const placed = flattenSteps([step('lines', 'andForEach', [step('price')])])
    const record = (path: string, status: string) => ({ path, status, attempts: 1, startTime: 't' })
    const states = stepStates(
      [
        { ...record('lines', 'completed'), progress: { done: 3, failed: 2, total: 3 } },
        record('lines[0]', 'error'),
        record('lines[1]', 'error'),
        record('lines[2]', 'completed'),
      ] as StepRecord[],
      placed,
    )
    expect([...states].map(([path, { status, failed }]) => [path, status, failed])).toEqual([
      ['lines', 'completed', 2],
      ['lines/price', 'completed', 2],
    ])
    expect([...states.values()].map(isPartlyFailed)).toEqual([true, true])
  })

  it('compares only what is shown', () => {
    const state = { status: 'running', attempts: 1, durationMs: null, startTime: 'a' } as const
    expect(sameState(state, { ...state, startTime: 'b' })).toBe(true)
    expect(sameState(state, { ...state, attempts: 2 })).toBe(false)
    expect(sameState(state, undefined)).toBe(false)
    expect(sameState(undefined, undefined)).toBe(true)
  })
})
