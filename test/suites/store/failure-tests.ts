import { expect, it } from 'vitest'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import type { ExecutionRow } from '../../../src/store/execution-store.ts'
import { insertion } from './execution-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const PAGE = { limit: 10, offset: 0 }

export function failureTests(store: StoreUnderTest): void {
  const write = (...rows: (Partial<ExecutionRow> & { id: string })[]) =>
    store.executions.write(
      rows.map((row) => insertion({ status: 'error', error: '{"message":"no"}', ...row })),
    )

  it('failures are counted by their group, with the newest one, the newest group first', async () => {
    await write(
      { id: 'a', failure: 'x', endedAt: 1000 },
      { id: 'b', failure: 'y', endedAt: 2000, workflowId: 'refund' },
      { id: 'c', failure: 'x', endedAt: 3000, error: '{"message":"newest"}' },
      { id: 'd', failure: null, endedAt: 4000 },
      { id: 'e', failure: 'x', status: 'cancelled', endedAt: 5000, error: null },
      { id: 'f', failure: 'x', status: 'running', error: null },
    )
    const x = {
      id: 'x',
      count: 2,
      firstAt: 1000,
      lastAt: 3000,
      completedAt: null,
      last: {
        id: 'c',
        workflowId: 'order',
        workflowName: 'Order',
        error: '{"message":"newest"}',
      },
    }
    const y = { id: 'y', count: 1, firstAt: 2000, lastAt: 2000, last: { id: 'b' } }
    expect(await store.failures.list({}, PAGE)).toMatchObject([x, y])
    expect(await store.failures.list({}, { limit: 1, offset: 1 })).toMatchObject([y])
    expect(await store.failures.list({ workflowId: 'refund' }, PAGE)).toMatchObject([y])
    expect(await store.failures.count({})).toBe(2)
    expect(await store.failures.count({ workflowId: 'order' })).toBe(1)
  })

  it('a completed replay resolves a failure, and the next failure opens it again', async () => {
    await write(
      { id: 'a', failure: 'x', endedAt: 1000 },
      { id: 'b', failure: 'x', endedAt: 2000, status: 'completed', error: null },
      { id: 'c', failure: 'y', endedAt: 3000 },
    )
    const ids = async (open: boolean) =>
      (await store.failures.list({ open }, PAGE)).map(({ id, completedAt }) => [id, completedAt])
    expect(await ids(true)).toEqual([['y', null]])
    expect(await ids(false)).toEqual([['x', 2000]])
    expect(await store.failures.count({ open: true })).toBe(1)
    expect(await store.failures.openSince(2999, 10)).toEqual([{ id: 'y', lastAt: 3000 }])
    expect(await store.failures.openSince(3000, 10)).toEqual([])
    await write({ id: 'd', failure: 'x', endedAt: 4000 })
    expect(await ids(true)).toEqual([
      ['x', 2000],
      ['y', null],
    ])
  })

  it('a failure is gone with its executions, whatever replays are left', async () => {
    await write(
      { id: 'a', failure: 'x', endedAt: 1000 },
      { id: 'b', failure: 'x', endedAt: 2000, status: 'completed', error: null },
    )
    expect(await store.executions.prune({ endedBefore: 1500, keep: 100 }, 10)).toBe(1)
    expect(await store.failures.list({}, PAGE)).toEqual([])
    expect(await store.failures.count({})).toBe(0)
  })

  it('failures of some groups are counted by the hour', async () => {
    await write(
      { id: 'a', failure: 'x', endedAt: 2 * HOUR_MS },
      { id: 'b', failure: 'x', endedAt: 3 * HOUR_MS - 1 },
      { id: 'c', failure: 'x', endedAt: 3 * HOUR_MS },
      { id: 'd', failure: 'y', endedAt: 3 * HOUR_MS },
      { id: 'e', failure: 'x', endedAt: 2 * HOUR_MS - 1 },
    )
    expect(await store.failures.hours(['x'], 2)).toEqual([
      { id: 'x', hour: 2, count: 2 },
      { id: 'x', hour: 3, count: 1 },
    ])
    expect(await store.failures.hours(['x', 'y', 'z'], 3)).toHaveLength(2)
  })

  it('lists of executions can be those of a failure, replays included', async () => {
    await write(
      { id: 'a', failure: 'x', createdAt: 1000 },
      { id: 'b', failure: 'x', createdAt: 2000, status: 'completed', error: null },
      { id: 'c', failure: 'y', createdAt: 3000 },
    )
    const listed = await store.executions.list({ failure: 'x' }, PAGE)
    expect(listed.map(({ id }) => id)).toEqual(['b', 'a'])
    expect(await store.executions.count({ failure: 'x', status: 'error' })).toBe(1)
  })
}
