import { describe, expect, it } from 'vitest'
import type { ExecutionDetail, StepRecord } from '../../../../src/contract/endpoints/execution.ts'
import { shortText, slownessOf, slowSteps, usualText } from '../../../../src/console/statistics/slowness.ts'

const usual = { timed: 20, p50Ms: 100, p95Ms: 300 }

describe('a step is slower than usual', () => {
  it.each([
    [1200, usual, '12 ×'],
    [350, usual, '3.5 ×'],
    [20_000, usual, 'over 100 ×'],
    // not beyond the slowest ones, too little in all, or nothing to compare with
    [300, usual, undefined],
    [60, { ...usual, p50Ms: 20, p95Ms: 30 }, undefined],
    [190, { ...usual, p95Ms: 110 }, undefined],
    [5000, { ...usual, timed: 19 }, undefined],
    [5000, { timed: 0, p50Ms: null, p95Ms: null }, undefined],
    [5000, undefined, undefined],
    // shorter than a millisecond
    [60, { ...usual, p50Ms: 0, p95Ms: 0 }, '60 ×'],
  ])('%d ms: %j %s', (ms, of, expected) => expect(slownessOf(ms, of)).toBe(expected))
})

it('steps are compared unless the execution waited meanwhile, or copied them', () => {
  const at = (seconds: number) => new Date(seconds * 1000).toISOString()
  const step = (path: string, start: number, end: number | null) =>
    ({
      path,
      startTime: at(start),
      endTime: end === null ? null : at(end),
      durationMs: end === null ? null : (end - start) * 1000,
    }) as StepRecord
  const steps = [
    step('copied', 5, 9),
    step('before', 10, 14),
    step('around', 10, 29),
    step('after', 25, 29),
    step('fast', 29, 29.1),
    step('running', 29, null),
  ]
  const events = [
    { type: 'workflow-suspended', startTime: at(20) },
    { type: 'workflow-resumed', startTime: at(25) },
  ] as ExecutionDetail['events']
  expect([...slowSteps({ createdAt: at(10), events, steps }, () => usual)]).toEqual([
    ['before', '40 ×'],
    ['after', '40 ×'],
  ])
})

it('durations of statistics show no more than is known', () => {
  expect([0, 1, 45, 999, 1234, 12_345, 61_000].map((ms) => shortText(ms))).toEqual([
    '< 1 ms',
    '1 ms',
    '45 ms',
    '999 ms',
    '1.2 s',
    '12 s',
    '1 min 1 s',
  ])
  expect(usualText({ p50Ms: 120, p95Ms: 3400 })).toBe('120 ms, 95 % up to 3.4 s')
})
