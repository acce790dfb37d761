import { expect, test } from 'vitest'
import { startPruneLoop } from '../../../../src/lib/async/prune-loop.ts'

const always = { rule: () => ({ days: 1, count: 10 }), clock: { now: () => 86_400_001 } }

test('deletes in small transactions until nothing is expired, one kind of record after another', async () => {
  const left = [250, 120]
  const prunes = left.map((_, kind) => async (outdated: object, limit: number) => {
    expect(outdated).toEqual({ before: 1, keep: 10 })
    const deleted = Math.min(limit, left[kind] ?? 0)
    left[kind] = (left[kind] ?? 0) - deleted
    return deleted
  })
  const stop = startPruneLoop({ ...always, prunes, everyMs: 60_000, onFailure: () => undefined })
  await expect.poll(() => left).toEqual([0, 0])
  stop()
})

test('reports a failure, and tries again after the interval', async () => {
  const failures: unknown[] = []
  let tries = 0
  const prune = async () => {
    tries++
    throw new Error('busy')
  }
  const stop = startPruneLoop({
    ...always,
    prunes: [prune],
    everyMs: 10,
    onFailure: (error) => failures.push(error),
  })
  await expect.poll(() => tries).toBeGreaterThan(2)
  stop()
  expect(failures.length).toBeGreaterThanOrEqual(2)
})
