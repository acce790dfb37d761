import { expect, it } from 'vitest'
import type { ScheduleRow } from '../../../src/store/schedule-store.ts'
import type { StoreUnderTest } from './store-suite.ts'

const ROW: ScheduleRow = {
  id: 'report',
  revision: 1,
  rule: 'every 1000',
  paused: false,
  nextAt: 1_800_000_000_000,
  waiting: [],
  tickAt: null,
  lastExecutionId: null,
  lastAt: null,
}

/** Tests of the state of schedules. */
export function scheduleStoreTests(store: StoreUnderTest): void {
  it('keep their state as it was stored last, in the order of their ids', async () => {
    const changed: ScheduleRow = {
      ...ROW,
      revision: 2,
      paused: true,
      nextAt: null,
      waiting: [1, 2],
      tickAt: 3,
      lastExecutionId: 'e',
      lastAt: 4,
    }
    expect(await store.schedules.get('report')).toBeUndefined()
    expect(await store.schedules.save(ROW)).toBe(true)
    expect(await store.schedules.get('report')).toEqual(ROW)
    expect(await store.schedules.save(changed)).toBe(true)
    expect(await store.schedules.save({ ...ROW, id: 'a' })).toBe(true)
    expect(await store.schedules.list()).toEqual([{ ...ROW, id: 'a' }, changed])
  })

  it('refuse a change that builds on an older state', async () => {
    await store.schedules.save(ROW)
    expect(await store.schedules.save(ROW)).toBe(false)
    expect(await store.schedules.save({ ...ROW, revision: 3 })).toBe(false)
    const next = { ...ROW, revision: 2, rule: 'x' }
    const both = [store.schedules.save(next), store.schedules.save({ ...next, rule: 'y' })]
    expect((await Promise.all(both)).filter(Boolean)).toEqual([true])
  })

  it('are forgotten when they are deleted, and can be stored again', async () => {
    await store.schedules.save(ROW)
    await store.schedules.delete('report', { drop: ['tick:report'] })
    expect(await store.schedules.list()).toEqual([])
    expect(await store.schedules.save(ROW)).toBe(true)
  })
}
