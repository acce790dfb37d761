import { expect, it } from 'vitest'
import type { Note } from '../support/cluster/notes.ts'
import { describeOnPostgres } from '../support/postgres/test-database.ts'
import { clusterOfTest } from './cluster-tests.ts'

const LIMIT = 3
const RATE = 10
const RATE_MS = 1000

describeOnPostgres('the limits of workflows on several machines', () => {
  const test = clusterOfTest()

  it('are never exceeded, and the places of a machine that is killed come back', async () => {
    const { cluster } = test
    const [a, b, c] = await cluster.start('a', 'b', 'c')
    const ids = (await Promise.all([a, b, c].map((machine) => machine!.start('limited', 60)))).flat()
    await expect.poll(() => cluster.notes.executionsByMachine(ids).get('a') ?? 0).toBeGreaterThan(3)
    const killedAt = await a!.kill()
    await b!.reached('completed', 'limited', ids)
    const notes = cluster.notes.all()
    const most = mostAtOnce(notes, { machine: 'a', at: killedAt })
    expect(most).toBe(LIMIT)
    const ended = notes.filter(({ what }) => what === 'end').map(({ executionId }) => executionId)
    expect(new Set(ended).size).toBe(180)
    // only what ran on the machine that was killed runs again
    expect(cluster.notes.begunTwice(ids).length).toBeLessThanOrEqual(LIMIT)
    const later = await c!.start('limited', 30)
    await b!.reached('completed', 'limited', later)
    const wanted = new Set(later)
    expect(mostAtOnce(cluster.notes.all().filter(({ executionId }) => wanted.has(executionId)))).toBe(LIMIT)
  })

  it('hold for any window of a rate, with clocks that differ', async () => {
    const { cluster } = test
    const a = await cluster.startOne('a', { clockAheadMs: 20_000 })
    const b = await cluster.startOne('b')
    const c = await cluster.startOne('c', { clockAheadMs: -20_000 })
    const ids = (await Promise.all([a, b, c].map((machine) => machine.start('rated', 20)))).flat()
    await b.reached('completed', 'rated', ids)
    const starts = cluster.notes
      .begun(ids)
      .map(({ at }) => at)
      .toSorted((x, y) => x - y)
    expect(starts).toHaveLength(60)
    const windows = starts.slice(RATE).map((at, index) => at - starts[index]!)
    // a start counts from when it is stored: on busy machines the step begins later, some more than others
    const mean = windows.reduce((sum, window) => sum + window, 0) / windows.length
    expect(mean).toBeGreaterThan(RATE_MS * 0.7)
  })
})

/** The largest number of attempts at the same time. Those of a machine that was killed end there. */
function mostAtOnce(
  notes: readonly Note[],
  killed?: { readonly machine: string; readonly at: number },
): number {
  const open = new Map<string, string>()
  let most = 0
  for (const { at, machine, what, executionId } of notes.toSorted((a, b) => a.at - b.at)) {
    if (killed && at > killed.at) for (const [id, name] of open) if (name === killed.machine) open.delete(id)
    if (what === 'end') open.delete(executionId)
    else open.set(executionId, machine)
    most = Math.max(most, open.size)
  }
  return most
}
