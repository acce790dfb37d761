import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { equals, matchesSchema, contains, similar } from '../../../src/evals/scorers/output-scorers.ts'
import { maxCost, maxLatency, maxSteps } from '../../../src/evals/scorers/limits.ts'

import { namedScorer } from '../../../src/evals/scorers/named-scorer.ts'
import type { Scored, Scorer } from '../../../src/evals/scorers/scorer.ts'

import { toolCalls } from '../../../src/evals/scorers/tool-calls.ts'

const TRACE = { traceId: 't', durationMs: 120, steps: 3, costUsd: 0.01, toolCalls: [] }

async function score(
  scorer: Scorer,
  scored: Partial<Omit<Scored, 'trace'>> & { trace?: Partial<Scored['trace']> },
) {
  const given = await scorer({
    input: null,
    output: null,
    expected: undefined,
    rules: {},
    judge: () => Promise.reject(new Error('no judge')),
    ...scored,
    trace: { ...TRACE, ...scored.trace },
  })
  return typeof given === 'number' ? { score: given } : given
}

describe('the scorer', () => {
  it('equals follows the rules of the case before its own, and says what differs', async () => {
    const scorer = equals({ rules: { '/id': { ignore: true } } })
    expect(await score(scorer, { output: { id: 1, a: 2 }, expected: { id: 5, a: 2 } })).toEqual({ score: 1 })
    const rules = { '/id': { range: [0, 0] } }
    expect(await score(scorer, { output: { id: 1 }, expected: { id: 1 }, rules })).toEqual({
      score: 0,
      reason: '/id: expected a number from 0 to 0, got 1',
    })
  })

  it('contains scores the share of the texts, from the case unless it has its own', async () => {
    expect(await score(contains(['Refund', 'tomorrow']), { output: 'A refund' })).toEqual({
      score: 0.5,
      reason: 'without "tomorrow"',
    })
    expect(await score(contains(), { output: { city: 'Rome' }, expected: 'rome' })).toEqual({ score: 1 })
  })

  it('similar measures the edit distance', async () => {
    expect(await score(similar(), { output: 'kitten', expected: 'sitting' })).toEqual({ score: 1 - 3 / 7 })
    expect(await score(similar(), { output: '', expected: '' })).toEqual({ score: 1 })
  })

  it('matchesSchema names what is wrong', async () => {
    const scorer = matchesSchema(z.object({ total: z.number() }))
    expect(await score(scorer, { output: { total: 5 } })).toEqual({ score: 1 })
    expect(await score(scorer, { output: {} })).toMatchObject({ score: 0, reason: 'output.total: Required' })
  })

  it('maxSteps, maxCost and maxLatency compare with the trace; an unknown price is no low one', async () => {
    expect(await score(maxSteps(3), {})).toEqual({ score: 1 })
    expect(await score(maxSteps(2), {})).toEqual({ score: 0, reason: '3 steps, at most 2' })
    expect(await score(maxCost(0.001), {})).toMatchObject({ score: 0 })
    expect(await score(maxCost(1), { trace: { costUsd: null } })).toMatchObject({ score: 0 })
    expect(await score(maxLatency('100ms'), {})).toEqual({ score: 0, reason: '120 ms, at most 100 ms' })
    expect(() => maxSteps(0)).toThrow(RangeError)
    expect(() => maxLatency('soon' as '1s')).toThrow('maxLatency(): "soon" is not a duration')
  })

  it('toolCalls checks which tools were called, in which order, with what', async () => {
    const trace = {
      toolCalls: [
        { toolName: 'find', input: { id: 1 } },
        { toolName: 'pay', input: { amount: 5 } },
      ],
    }
    const called = (...args: Parameters<typeof toolCalls>) => score(toolCalls(...args), { trace })
    expect(await called(['find', { toolName: 'pay', input: { amount: 5 } }])).toEqual({ score: 1 })
    expect(await called(['pay', 'find'])).toMatchObject({
      score: 0.5,
      reason: 'expected pay, find; called find, pay',
    })
    expect(await called(['pay', 'find'], { anyOrder: true })).toEqual({ score: 1 })
    expect(await called(['find'])).toEqual({ score: 0.5, reason: 'expected find; called find, pay' })
    expect(await called(['pay'], { allowOthers: true })).toEqual({ score: 1 })
    expect(await called([{ toolName: 'find', input: { id: 2 } }, 'pay'])).toMatchObject({ score: 0 })
  })
})

describe('a scorer that a case file names', () => {
  it('is made of its argument', async () => {
    expect(namedScorer('similar').name).toBe('similar')
    expect(await score(namedScorer({ maxSteps: 2 }), {})).toMatchObject({ score: 0 })
    expect(await score(namedScorer({ contains: ['a'] }), { output: 'abc' })).toEqual({ score: 1 })
  })

  it.each([
    ['nosuch', 'must be one scorer of equals, matchesSchema'],
    [{ maxSteps: 1, maxCost: 2 }, 'must be one scorer of'],
    [{ maxSteps: 0 }, 'maxSteps: '],
    [{ equals: { rules: { x: { ignore: true } } } }, 'must be JSON pointers'],
    ['__proto__', 'must be one scorer of'],
  ])('is refused: %j', (entry, message) => {
    expect(() => namedScorer(entry)).toThrow(message)
  })
})
