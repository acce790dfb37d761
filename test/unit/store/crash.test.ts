import { expect, it } from 'vitest'
import { InFlightCount, afterCrash, judgeCrash, stepsInFlight } from '../../../src/store/crash.ts'
import { stepRow } from '../../suites/store/execution-rows.ts'

const one = { total: 1, untried: 1 }
const two = { total: 2, untried: 2 }

it.each([
  ['the orderly stop of a process', { how: 'stopped', settled: false }, one, 'none'],
  ['a crash with nothing in flight', { how: 'crashed', settled: false }, { total: 0, untried: 0 }, 'none'],
  ['a kill in the first minute with one step in flight', { how: 'unknown', settled: false }, one, 'alone'],
  ['a kill after the first minute', { how: 'unknown', settled: true }, one, 'none'],
  ['a kill after the first minute with several in flight', { how: 'unknown', settled: true }, two, 'none'],
  ['an uncaught error after the first minute', { how: 'crashed', settled: true }, one, 'alone'],
  ['a crash with several in flight', { how: 'crashed', settled: false }, two, 'untried'],
  [
    'a crash beside one that has passed',
    { how: 'crashed', settled: false },
    { total: 2, untried: 1 },
    'untried',
  ],
  ['a crash of those that have passed', { how: 'crashed', settled: false }, { total: 2, untried: 0 }, 'all'],
] as const)('%s is judged', (_, end, inFlight, verdict) => {
  expect(judgeCrash(end, inFlight)).toBe(verdict)
})

it('only a crash with nothing else in flight is counted; others make suspects', () => {
  const nothing = { crashes: 0, suspected: 0, trial: null } as const
  expect(afterCrash(nothing, 'alone')).toEqual({ crashes: 1, suspected: 0 })
  expect(afterCrash(nothing, 'untried')).toEqual({ crashes: 0, suspected: 1 })
  expect(afterCrash({ ...nothing, trial: 'passed' }, 'untried')).toEqual({ crashes: 0, suspected: 0 })
  expect(afterCrash({ ...nothing, trial: 'passed' }, 'all')).toEqual({ crashes: 0, suspected: 1 })
  expect(afterCrash(nothing, 'none')).toEqual({ crashes: 0, suspected: 0 })
})

it('steps are in flight while one of their functions runs', () => {
  const steps = [
    stepRow({ path: 'running' }),
    stepRow({ path: 'done', status: 'completed' }),
    stepRow({ path: 'retries later', wakeAt: 1 }),
    stepRow({ path: 'waits for its trial', trial: 'waiting', exempt: true }),
    stepRow({ path: 'has made progress', type: 'andAgent', exempt: true }),
    stepRow({ path: 'group', type: 'andAll' }),
    stepRow({ path: 'group/inner' }),
    stepRow({ path: 'condition', type: 'andWhen' }),
    stepRow({ path: 'between conditions', type: 'andDoWhile', exempt: true }),
    stepRow({ path: 'child', type: 'andWorkflow', childId: 'c' }),
  ]
  expect(stepsInFlight(steps).map(({ path }) => path)).toEqual([
    'running',
    'has made progress',
    'group/inner',
    'condition',
  ])
})

it('counting stops when more can not change the verdict', () => {
  const count = new InFlightCount()
  count.add([{ trial: 'passed' }, { trial: 'passed' }])
  expect(count.isEnough).toBe(false)
  count.add([{ trial: null }])
  expect(count.isEnough).toBe(true)
})
