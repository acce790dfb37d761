import { expect, it } from 'vitest'
import { eventRow, insertion, stepRow } from './execution-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const KEEP_ALL = 1_000_000

const ended = (id: string, endedAt: number) => insertion({ id, endedAt, status: 'completed' })

/** Tests of the retention of executions. */
export function pruningTests(store: StoreUnderTest): void {
  const left = async () =>
    (await store.executions.list({}, { limit: 100, offset: 0 })).map(({ id }) => id).toSorted()

  it('deletes executions that ended too long ago, with their steps and events', async () => {
    const parts = { steps: [stepRow({ path: 's' })], events: [eventRow(1)] }
    await store.executions.write([
      { ...ended('old', 99), ...parts },
      { ...ended('edge', 100), ...parts },
      ended('new', 101),
    ])
    expect(await store.executions.prune({ endedBefore: 100, keep: KEEP_ALL }, 10)).toBe(1)
    expect(await left()).toEqual(['edge', 'new'])
    expect(await store.executions.get('old')).toBeUndefined()
    expect(await store.executions.steps('old')).toEqual([])
    expect(await store.executions.events('old', { after: 0, limit: 10 })).toEqual([])
    expect(await store.executions.steps('edge')).toHaveLength(1)
    expect(await store.executions.events('edge', { after: 0, limit: 10 })).toHaveLength(1)
  })

  it('keeps a number of executions that ended last', async () => {
    await store.executions.write([ended('c', 30), ended('a', 10), ended('d', 40), ended('b', 20)])
    expect(await store.executions.prune({ endedBefore: 0, keep: 2 }, 10)).toBe(2)
    expect(await left()).toEqual(['c', 'd'])
    expect(await store.executions.prune({ endedBefore: 0, keep: 2 }, 10)).toBe(0)
  })

  it('deletes up to the limit at a time', async () => {
    await store.executions.write(Array.from({ length: 7 }, (_, n) => ended(`e${n}`, n)))
    const retention = { endedBefore: 100, keep: KEEP_ALL }
    const deleted = [3, 3, 3, 3].map(() => () => store.executions.prune(retention, 3))
    const counts: number[] = []
    for (const prune of deleted) counts.push(await prune())
    expect(counts).toEqual([3, 3, 1, 0])
  })

  it('never deletes running or suspended executions', async () => {
    await store.executions.write([
      insertion({ id: 'runs', createdAt: 1, updatedAt: 1 }),
      insertion({ id: 'waits', createdAt: 1, updatedAt: 1, status: 'suspended' }),
      ended('over', 5),
    ])
    expect(await store.executions.prune({ endedBefore: 1_000_000, keep: 0 }, 10)).toBe(1)
    expect(await store.executions.prune({ endedBefore: 1_000_000, keep: 0 }, 10)).toBe(0)
    expect(await left()).toEqual(['runs', 'waits'])
  })

  it('frees the id of a deleted execution', async () => {
    await store.executions.write([{ ...ended('a', 5), events: [eventRow(1)] }])
    await store.executions.prune({ endedBefore: 10, keep: KEEP_ALL }, 10)
    expect(await store.executions.write([{ ...ended('a', 50), events: [eventRow(1)] }])).toEqual([true])
  })
}
