import { expect, test, vi } from 'vitest'
import { startPruneLoop } from '../../../../src/lib/async/prune-loop.ts'

const always = { rule: () => ({ days: 1, count: 10 }), clock: { now: () => 86_400_001 } }

test('slices follow one another until nothing is left, room by room', async () => {
  const left = [250, 120]
  const prunes = left.map((_, room) => async (outdated: object, limit: number) => {
    expect(outdated).toEqual({ before: 1, keep: 10 })
    const deleted = Math.min(limit, left[room] ?? 0)
    left[room] = (left[room] ?? 0) - deleted
    return deleted
  })
  const stop = startPruneLoop({ ...always, prunes, everyMs: 60_000, onFailure: () => undefined })
  await vi.waitFor(() => expect(left).toEqual([0, 0]))
  stop()
})

test('a failure is told, and the next time is another try', async () => {
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
  await vi.waitFor(() => expect(tries).toBeGreaterThan(2))
  stop()
  expect(failures.length).toBeGreaterThanOrEqual(2)
})
