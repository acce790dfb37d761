import { describe, expect, it } from 'vitest'
import type { NewEvalRun } from '../../../src/store/evals/eval-store.ts'
import type { StoreUnderTest } from './store-suite.ts'

const PAGE = { limit: 10, offset: 0 }
const completed = (endedAt: number) => ({ status: 'completed', endedAt, error: null }) as const

/** Runs of evals. */
export function evalTests(store: StoreUnderTest): void {
  const run = (id: string, change: Partial<NewEvalRun> = {}): NewEvalRun => ({
    id,
    evalId: 'refunds',
    ownerEpoch: store.ownerEpoch,
    startedAt: 1000,
    commit: null,
    ...change,
  })
  const ended = (position: number, score = 1) => ({
    position,
    score,
    costNano: 5,
    result: JSON.stringify({ position, text: 'a\0b' }),
  })

  describe('runs of evals', () => {
    it('have a plan, cases in the order of their ends, and an end', async () => {
      const { evals } = store
      expect(await evals.insert(run('a', { commit: 'c0ffee' }))).toBe(true)
      expect(await evals.get('a')).toEqual({
        ...run('a', { commit: 'c0ffee' }),
        status: 'running',
        endedAt: null,
        target: null,
        threshold: null,
        cases: null,
        endedCases: 0,
        failedCases: 0,
        scoreSum: 0,
        costNano: 0,
        error: null,
      })
      expect(await evals.plan('a', { target: '{"tool":"add"}', threshold: 0.5, cases: 2 })).toBe(true)
      expect(await evals.addCase('a', ended(1, 0.25))).toBe(true)
      expect(await evals.addCase('a', ended(0))).toBe(true)
      expect(await evals.end('a', completed(2000))).toBe(true)
      expect(await evals.get('a')).toMatchObject({
        status: 'completed',
        endedAt: 2000,
        target: '{"tool":"add"}',
        threshold: 0.5,
        cases: 2,
        endedCases: 2,
        failedCases: 1,
        scoreSum: 1.25,
        costNano: 10,
      })
      const cases = await evals.cases('a', PAGE)
      expect(cases.map((text) => JSON.parse(text) as unknown)).toEqual([
        { position: 1, text: 'a\0b' },
        { position: 0, text: 'a\0b' },
      ])
      expect(await evals.cases('a', { limit: 1, offset: 1 })).toEqual([cases[1]])
      expect(await evals.get('b')).toBeUndefined()
      expect(await evals.cases('b', PAGE)).toEqual([])
    })

    it('count a case once, and have no cost when that of a case is unknown', async () => {
      const { evals } = store
      await evals.insert(run('a'))
      await evals.addCase('a', { ...ended(0), costNano: null })
      expect(await evals.addCase('a', ended(0))).toBe(true)
      await evals.addCase('a', ended(1))
      expect(await evals.get('a')).toMatchObject({ endedCases: 2, scoreSum: 2, costNano: null })
    })

    it('change no more when they have ended', async () => {
      const { evals } = store
      await evals.insert(run('a'))
      await evals.end('a', { status: 'cancelled', endedAt: 2000, error: null })
      expect(await evals.plan('a', { target: null, threshold: 1, cases: 1 })).toBe(false)
      expect(await evals.addCase('a', ended(0))).toBe(false)
      expect(await evals.end('a', completed(3000))).toBe(false)
      expect(await evals.get('a')).toMatchObject({ status: 'cancelled', endedAt: 2000, endedCases: 0 })
      expect(await evals.addCase('unknown', ended(0))).toBe(false)
    })

    it('are one at a time for each eval', async () => {
      const { evals } = store
      expect(await evals.insert(run('a'))).toBe(true)
      expect(await evals.insert(run('b'))).toBe(false)
      expect(await evals.insert(run('c', { evalId: 'orders' }))).toBe(true)
      expect((await evals.running()).map(({ id }) => id)).toEqual(['a', 'c'])
      await evals.end('a', completed(2000))
      expect(await evals.insert(run('b'))).toBe(true)
    })

    it('are listed newest first, and the newest of each eval', async () => {
      const { evals } = store
      for (const id of ['a', 'b', 'c']) {
        await evals.insert(run(id))
        await evals.end(id, completed(2000))
      }
      await evals.insert(run('d', { evalId: 'orders' }))
      const ids = async (limit: number, offset: number) =>
        (await evals.list('refunds', { limit, offset })).map(({ id }) => id)
      expect(await ids(2, 0)).toEqual(['c', 'b'])
      expect(await ids(2, 2)).toEqual(['a'])
      expect(await evals.count('refunds')).toBe(3)
      expect(await evals.count('none')).toBe(0)
      expect((await evals.newest()).map(({ id }) => id)).toEqual(['d', 'c'])
    })

    it('are deleted with their cases when they are too old or too many, and never while they run', async () => {
      const { evals } = store
      for (const [index, id] of ['a', 'b', 'c'].entries()) {
        await evals.insert(run(id))
        await evals.addCase(id, ended(0))
        await evals.end(id, completed(1000 * (index + 1)))
      }
      await evals.insert(run('d'))
      expect(await evals.prune({ endedBefore: 2000, keep: 10 }, 100)).toBe(1)
      expect(await evals.get('a')).toBeUndefined()
      expect(await evals.cases('a', PAGE)).toEqual([])
      expect(await evals.prune({ endedBefore: 0, keep: 1 }, 100)).toBe(1)
      expect(await evals.prune({ endedBefore: 0, keep: 1 }, 100)).toBe(0)
      expect((await evals.list('refunds', PAGE)).map(({ id }) => id)).toEqual(['d', 'c'])
      expect(await evals.cases('c', PAGE)).toHaveLength(1)
    })
  })
}
