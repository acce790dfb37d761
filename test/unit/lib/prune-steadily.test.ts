import { expect, test, vi } from 'vitest'
import { pruneSteadily } from '../../../src/lib/prune-steadily.ts'

test('slices follow one another until nothing is left, room by room', async () => {
  const left = [250, 120]
  const prunes = left.map((_, room) => async (limit: number) => {
    const deleted = Math.min(limit, left[room] ?? 0)
    left[room] = (left[room] ?? 0) - deleted
    return deleted
  })
  const stop = pruneSteadily({ prunes, everyMs: 60_000, onFailure: () => undefined })
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
  const stop = pruneSteadily({ prunes: [prune], everyMs: 10, onFailure: (error) => failures.push(error) })
  await vi.waitFor(() => expect(tries).toBeGreaterThan(2))
  stop()
  expect(failures.length).toBeGreaterThanOrEqual(2)
})
