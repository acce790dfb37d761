import { expect, it } from 'vitest'
import type { EventWait, SentEventRow } from '../../../src/store/event-store.ts'
import { insertion } from './execution-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const JOB = { key: 'event:e', job: { kind: 'event', id: 'e' }, at: 9_000_000_000_000 } as const

const event = (row: Partial<SentEventRow> & { id: string }): SentEventRow => ({
  name: 'payment',
  key: null,
  data: '{"text":"\\u0000 日本"}',
  at: 1000,
  sender: null,
  misfits: null,
  ...row,
})

const wait = (row: Partial<EventWait> = {}): EventWait => ({
  path: 'wait',
  name: 'payment',
  key: null,
  since: 1000,
  ...row,
})

/** Tests of events and of the steps that wait for them. */
export function eventTests(store: StoreUnderTest): void {
  const insert = async (row: Partial<SentEventRow> & { id: string }) =>
    (await store.events.insert(event(row), [JOB])).event
  const list = async (
    key: string | null,
    range: { since?: number; after?: number; limit?: number; except?: string[] } = {},
  ) => {
    const found = await store.events.list(
      { name: 'payment', key },
      { since: 0, after: 0, limit: 100, except: [], ...range },
    )
    return found.map(({ id }) => id)
  }
  const waiting = async (key: string | null, name = 'payment') =>
    (await store.events.waiting({ name, key })).map(({ executionId, path }) => `${executionId} ${path}`)

  it('returns an event as it was stored, with its number', async () => {
    const row = event({ id: 'e1', key: 'A \0 \u001A', sender: '{"user":{"id":"ann"}}', misfits: '[1]' })
    const { event: stored, isNew } = await store.events.insert(row, [JOB])
    expect(isNew).toBe(true)
    expect(stored).toMatchObject({ id: 'e1', data: row.data, at: 1000, sender: row.sender, misfits: '[1]' })
    expect(stored.number).toBeGreaterThan(0)
    expect(await store.events.get('e1')).toEqual(stored)
    expect(await store.events.get('e2')).toBeUndefined()
    expect(await list('A \0 \u001A')).toEqual(['e1'])
  })

  it('keeps the first of two events with the same id', async () => {
    await insert({ id: 'e1', data: '1' })
    const again = await store.events.insert(event({ id: 'e1', data: '2', key: 'x' }), [JOB])
    expect(again).toMatchObject({ isNew: false, event: { data: '1', key: null } })
    expect(await list(null)).toEqual(['e1'])
  })

  it('lists the newest events with the executions that took them, until they are pruned', async () => {
    for (const id of ['e1', 'e2', 'e3']) await insert({ id, key: id, at: 1000 })
    const waits = { add: [], drop: [], take: ['e2', 'missing'] }
    await store.executions.write(['b', 'a'].map((id) => ({ ...insertion({ id }), waits })))
    const newest = async (limit: number, takers = 9) =>
      (await store.events.newest(limit, takers)).map(({ id, key, takenBy }) => ({ id, key, takenBy }))
    expect(await newest(2)).toEqual([
      { id: 'e3', key: 'e3', takenBy: [] },
      { id: 'e2', key: 'e2', takenBy: ['a', 'b'] },
    ])
    expect(await newest(2, 1)).toMatchObject([{ takenBy: [] }, { takenBy: ['a'] }])
    await store.events.prune({ now: 9000, maxAgeMs: 1 }, 9)
    expect(await newest(9)).toEqual([])
    await insert({ id: 'e2' })
    expect(await newest(9)).toMatchObject([{ id: 'e2', takenBy: [] }])
  })

  it('lists the events of a name and a key, in the order in which they were stored', async () => {
    for (const [id, key] of [
      ['b', null],
      ['a', null],
      ['c', ''],
      ['d', 'x'],
    ] as const)
      await insert({ id, key })
    await insert({ id: 'other', name: 'refund' })
    await insert({ id: 'old', at: 10 })
    expect(await list(null)).toEqual(['b', 'a', 'old'])
    expect(await list('')).toEqual(['c'])
    expect(await list('x')).toEqual(['d'])
    expect(await list(null, { since: 1000 })).toEqual(['b', 'a'])
    expect(await list(null, { limit: 1, except: ['b'] })).toEqual(['a'])
    const [b] = await store.events.list(
      { name: 'payment', key: null },
      { since: 0, after: 0, limit: 1, except: [] },
    )
    expect(await list(null, { after: b?.number ?? 0 })).toEqual(['a', 'old'])
  })

  it('waits begin and end with the change of their execution, or not at all', async () => {
    const add = [wait(), wait({ path: 'each[0]', key: 'x\0' }), wait({ path: 'other', name: 'refund' })]
    await store.executions.write([
      { ...insertion({ id: 'one' }), waits: { add, drop: [], take: [] } },
      { ...insertion({ id: 'two', owner: '"ann"' }), waits: { add: [wait()], drop: [], take: [] } },
      { ...insertion({ id: 'one' }), waits: { add: [wait({ path: 'refused' })], drop: ['wait'], take: [] } },
    ])
    expect(await waiting(null)).toEqual(['one wait', 'two wait'])
    expect(await waiting('x\0')).toEqual(['one each[0]'])
    expect(await waiting(null, 'refund')).toEqual(['one other'])
    expect((await store.events.waiting({ name: 'payment', key: null }))[1]).toEqual({
      executionId: 'two',
      workflowId: 'order',
      owner: '"ann"',
      path: 'wait',
      since: 1000,
    })
    const set = { updatedAt: 2000 }
    await store.executions.write([
      {
        id: 'one',
        update: { from: 'running', set },
        waits: { add: [], drop: ['wait', 'unknown'], take: [] },
      },
      { id: 'two', update: { from: 'suspended', set }, waits: { add: [], drop: ['wait'], take: [] } },
    ])
    expect(await waiting(null)).toEqual(['two wait'])
  })

  it('deletes old events up to a limit, except those for which a step waits that had begun by then', async () => {
    for (const id of ['a', 'b', 'c']) await insert({ id, at: 1000 })
    await insert({ id: 'edge', at: 5000 })
    await insert({ id: 'kept', key: 'x', at: 1000 })
    await insert({ id: 'before', key: 'x', at: 100 })
    await store.executions.write([
      { ...insertion({ id: 'one' }), waits: { add: [wait({ key: 'x', since: 5500 })], drop: [], take: [] } },
    ])
    const rule = { now: 10_000, maxAgeMs: 5000 }
    expect([
      await store.events.prune(rule, 3),
      await store.events.prune(rule, 3),
      await store.events.prune(rule, 3),
    ]).toEqual([3, 1, 0])
    expect(await list(null)).toEqual(['edge'])
    expect(await list('x')).toEqual(['kept'])
  })
}
