import { expect, it } from 'vitest'
import { until } from '../../support/until.ts'
import type { Dispatchers } from './dispatcher-suite.ts'
import { RecordedJobs } from './recorded-jobs.ts'

/** Which processes are alive. */
export function machineTests(dispatchers: Dispatchers): void {
  it('a process that serves is alive, and one that has ended is not', async () => {
    const first = await dispatchers.open()
    await first.dispatcher.serve(new RecordedJobs())
    expect(await first.dispatcher.isAlive(first.ownerEpoch)).toBe(true)
    expect(await first.dispatcher.isAlive(first.ownerEpoch + 1)).toBe(false)
    const second = await dispatchers.reopen(first)
    await second.dispatcher.serve(new RecordedJobs())
    expect(second.ownerEpoch).not.toBe(first.ownerEpoch)
    expect(await second.dispatcher.isAlive(first.ownerEpoch)).toBe(false)
    expect(await second.dispatcher.isAlive(second.ownerEpoch)).toBe(true)
  })

  it('a machine reports its id, its owner epoch, its status and when it last gave a sign of life', async () => {
    const { dispatcher, ownerEpoch } = await dispatchers.open()
    const before = Date.now()
    await dispatcher.serve(new RecordedJobs())
    const machine = await until(async () => (await dispatcher.machines())[0])
    expect(machine).toEqual({
      id: expect.stringMatching(new RegExp(`.:${process.pid}$`)),
      ownerEpoch,
      release: '1.2.3 abc',
      load: 0.25,
      executions: 7,
      lastBeatAt: expect.any(Number),
    })
    expect(Math.abs(machine.lastBeatAt - before)).toBeLessThan(60_000)
    expect(await dispatcher.machines()).toHaveLength(1)
  })
}
