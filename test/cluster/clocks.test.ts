import { expect, it } from 'vitest'
import { describeOnPostgres } from '../support/postgres/test-database.ts'
import { clusterOfTest } from './cluster-tests.ts'

const HOUR_MS = 3_600_000

describeOnPostgres('machines whose clocks are an hour apart', () => {
  const test = clusterOfTest()

  it('live beside each other, and retries that move to the other are neither early nor an hour late', async () => {
    const { cluster } = test
    const ahead = await cluster.startOne('ahead', { clockAheadMs: HOUR_MS })
    const b = await cluster.startOne('b')
    const ids = [await ahead.start('long', 3), await b.start('long', 3)].flat()
    await ahead.server.waitForOutput(/clock/i)
    await b.reached('completed', 'long', ids)
    expect(Object.fromEntries(cluster.notes.executionsByMachine(ids))).toEqual({ ahead: 3, b: 3 })

    const moved = await ahead.start('patient', 3)
    const willRetry = async (id: string) =>
      JSON.stringify(await b.record('patient', id)).includes('"willRetry":true')
    for (const id of moved) await expect.poll(() => willRetry(id)).toBe(true)
    await ahead.kill()
    await b.reached('completed', 'patient', moved)
    for (const id of moved) {
      const [first, second] = cluster.notes.begun([id])
      expect([first?.machine, second?.machine]).toEqual(['ahead', 'b'])
      // due after six seconds; clocks of one machine are compared with some tolerance
      expect(second!.at - first!.at).toBeGreaterThan(5500)
      expect(second!.at - first!.at).toBeLessThan(30_000)
    }
  })
})
