import { expect, it } from 'vitest'
import { EXECUTION_STATUSES } from '../../../src/contract/status/execution-statuses.ts'
import type { ExecutionFilter } from '../../../src/store/execution-store.ts'
import { eventRow, insertion, stepRow } from './execution-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

/** Tests of pages, filters and counts. */
export function listingTests(store: StoreUnderTest): void {
  const all = { limit: 1000, offset: 0 }
  const listed = async (filter: ExecutionFilter, page = all) =>
    (await store.executions.list(filter, page)).map(({ id }) => id)

  it('lists newest first, each with its workflow-level events', async () => {
    const events = [eventRow(1, true), eventRow(2), eventRow(3, true)]
    await store.executions.write([
      { ...insertion({ id: 'old', createdAt: 10 }), events },
      insertion({ id: 'new', createdAt: 30, output: '7' }),
      insertion({ id: 'middle', createdAt: 20 }),
    ])
    const rows = await store.executions.list({}, all)
    expect(rows.map(({ id }) => id)).toEqual(['new', 'middle', 'old'])
    expect(rows[0]?.output).toBe('7')
    expect(rows.map((row) => row.events.map(({ seq }) => seq))).toEqual([[], [], [1, 3]])
  })

  it('lists the same executions with their histories', async () => {
    const write = (id: string, createdAt: number) => ({
      ...insertion({ id, createdAt, workflowId: createdAt > 10 ? 'order' : 'other', input: `"${id}\u0000"` }),
      events: [eventRow(1, true), eventRow(2)],
      steps: [stepRow({ path: 'one' }), stepRow({ path: 'two' })],
    })
    await store.executions.write([
      write('a', 10),
      write('b', 20),
      insertion({ id: 'c', createdAt: 30 }),
      write('d', 40),
    ])
    await store.executions.write([
      {
        id: 'b',
        steps: [{ path: 'one', status: 'completed', output: '"[],[]"', endedAt: 5 }],
        events: [eventRow(3)],
      },
    ])
    const found = await store.executions.histories({ workflowId: 'order' }, { limit: 2, offset: 1 })
    expect(found.map(({ row, steps }) => [row.id, steps.length])).toEqual([
      ['c', 0],
      ['b', 2],
    ])
    expect(found).toEqual([await store.executions.history('c'), await store.executions.history('b')])
    expect(found[1]).toMatchObject({
      steps: [{ status: 'completed' }, { status: 'running' }],
      lastSequence: 3,
    })
  })

  it('leaves large values out of lists and says which; the single record has them', async () => {
    const large = JSON.stringify('x'.repeat(300_000))
    const event = { ...eventRow(2, true), data: `{"type":"workflow-complete","output":${large}}` }
    await store.executions.write([
      {
        ...insertion({ id: 'large', createdAt: 20, input: large, output: large }),
        events: [eventRow(1, true)],
      },
      insertion({ id: 'small', createdAt: 10, input: '1', output: '2' }),
    ])
    await store.executions.write([{ id: 'large', events: [event] }])
    const [found, small] = await store.executions.list({}, all)
    expect(found).toMatchObject({ input: 'null', output: null, omitted: ['input', 'output', 'events'] })
    expect(found?.events.map(({ seq }) => seq)).toEqual([1])
    expect(small).toMatchObject({ input: '1', output: '2', omitted: [] })
    expect(await store.executions.get('large')).toMatchObject({ input: large, output: large })
    expect(await store.executions.workflowEvents('large')).toEqual([eventRow(1, true), event])
  })

  it('keeps the order of executions of the same millisecond, so that pages have no gaps or duplicates', async () => {
    const ids = Array.from({ length: 25 }, (_, n) => `e${n}`)
    for (const id of ids) await store.executions.write([insertion({ id, createdAt: 5 })])
    const pages: string[] = []
    for (let offset = 0; offset < 30; offset += 4) pages.push(...(await listed({}, { limit: 4, offset })))
    expect(pages).toEqual(ids.toReversed())
  })

  it('pages deeply, and past the end', async () => {
    const writes = Array.from({ length: 3000 }, (_, n) =>
      insertion({ id: `e${n}`, createdAt: n, workflowId: n % 2 === 0 ? 'even' : 'odd' }),
    )
    await store.executions.write(writes)
    expect(await listed({}, { limit: 2, offset: 2990 })).toEqual(['e9', 'e8'])
    expect(await listed({ workflowId: 'odd' }, { limit: 3, offset: 1498 })).toEqual(['e3', 'e1'])
    expect(await listed({}, { limit: 10, offset: 3000 })).toEqual([])
    expect(await store.executions.count({ workflowId: 'odd' })).toBe(1500)
  })

  it.each([
    ['workflowId', { workflowId: 'wanted' }, { workflowId: 'other' }],
    ['status', { status: 'suspended' }, { status: 'running' }],
    ['userId', { userId: 'ann' }, { userId: 'bob' }],
    ['conversationId', { conversationId: 'talk' }, { conversationId: null }],
  ] as const)('leaves out what has another %s', async (_, wanted, other) => {
    await store.executions.write([
      insertion({ id: 'in', ...wanted }),
      insertion({ id: 'out', ...other }),
      insertion({ id: 'also in', ...wanted }),
      insertion({ id: 'plain' }),
    ])
    expect(await listed(wanted)).toEqual(['also in', 'in'])
    expect(await store.executions.count(wanted)).toBe(2)
  })

  it('finds the children and the replays of an execution, even beside damaged records', async () => {
    const fork = (executionId: string) => JSON.stringify({ executionId, stepId: 's' })
    await store.executions.write([
      insertion({ id: 'child', parentId: 'first' }),
      insertion({ id: 'replay', forkedFrom: fork('first') }),
      insertion({ id: 'other replay', forkedFrom: fork('second') }),
      insertion({ id: 'damaged', forkedFrom: '{"executionId":"first"' }),
    ])
    expect(await listed({ parentExecutionId: 'first' })).toEqual(['child'])
    expect(await listed({ forkedFrom: 'first' })).toEqual(['replay'])
    expect(await store.executions.count({ forkedFrom: 'first' })).toBe(1)
  })

  it('finds the executions of a schedule, whole and as heads', async () => {
    const of = (scheduleId: string, n: number) =>
      insertion({ id: `${scheduleId}${n}`, scheduleId, createdAt: n })
    await store.executions.write([of('day', 1), of('night', 2), of('day', 3), of('day', 4)])
    expect(await listed({ scheduleId: 'day' })).toEqual(['day4', 'day3', 'day1'])
    expect(await store.executions.heads({ scheduleId: 'day' }, { limit: 2, offset: 1 })).toEqual([
      { id: 'day3', status: 'running', createdAt: 3 },
      { id: 'day1', status: 'running', createdAt: 1 },
    ])
    expect(await store.executions.count({ scheduleId: 'no' })).toBe(0)
  })

  it('treats both ends of a time range as exclusive', async () => {
    await store.executions.write([9, 10, 11, 12, 13].map((n) => insertion({ id: `at${n}`, createdAt: n })))
    expect(await listed({ from: 10 })).toEqual(['at13', 'at12', 'at11'])
    expect(await listed({ to: 11 })).toEqual(['at10', 'at9'])
    expect(await listed({ from: 10, to: 13 })).toEqual(['at12', 'at11'])
    expect(await listed({ from: 10, to: 11 })).toEqual([])
    expect(await store.executions.count({ from: 10, to: 13 })).toBe(2)
  })

  it('filters by every status', async () => {
    await store.executions.write(EXECUTION_STATUSES.map((status) => insertion({ id: status, status })))
    for (const status of EXECUTION_STATUSES) expect(await listed({ status })).toEqual([status])
    expect(await store.executions.count({})).toBe(EXECUTION_STATUSES.length)
  })

  it('combines filters', async () => {
    const wanted = { workflowId: 'w', status: 'completed', userId: 'ann', conversationId: 'talk' } as const
    await store.executions.write([
      insertion({ id: 'in', ...wanted, createdAt: 5 }),
      insertion({ id: 'workflow', ...wanted, workflowId: 'x', createdAt: 5 }),
      insertion({ id: 'status', ...wanted, status: 'error', createdAt: 5 }),
      insertion({ id: 'user', ...wanted, userId: 'bob', createdAt: 5 }),
      insertion({ id: 'conversation', ...wanted, conversationId: 'x', createdAt: 5 }),
      insertion({ id: 'early', ...wanted, createdAt: 4 }),
      insertion({ id: 'late', ...wanted, createdAt: 6 }),
    ])
    expect(await listed({ ...wanted, from: 4, to: 6 })).toEqual(['in'])
    expect(await store.executions.count({ ...wanted, from: 4, to: 6 })).toBe(1)
  })
}
