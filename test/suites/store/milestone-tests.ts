import { expect, it } from 'vitest'
import type { EventRange } from '../../../src/store/execution-store.ts'
import { eventRow, executionRow, insertion } from './execution-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const ALL: EventRange = { after: 0, limit: 100 }

const completed = (id: string, seq: number) => ({
  id,
  update: { from: 'running', set: { status: 'completed', endedAt: 5, updatedAt: 5 } } as const,
  events: [eventRow(seq, true)],
})

/** Tests of milestones. */
export function milestoneTests(store: StoreUnderTest): void {
  const listed = async (range: EventRange) =>
    (await store.executions.milestones(range)).map(({ number, execution }) => `${number} ${execution.id}`)

  it('number the commits with workflow-level events, over all executions', async () => {
    const { executions } = store
    expect(await executions.newestMilestone()).toBe(0)
    await executions.write([
      { ...insertion({ id: 'a' }), events: [eventRow(1, true), eventRow(2)] },
      { ...insertion({ id: 'b' }), events: [eventRow(1, true)] },
    ])
    await executions.write([{ id: 'a', events: [eventRow(3)] }, completed('b', 2)])
    await executions.write([completed('a', 4)])
    expect(await listed(ALL)).toEqual(['1 a', '2 b', '3 b', '4 a'])
    expect(await listed({ after: 1, limit: 2 })).toEqual(['2 b', '3 b'])
    expect(await executions.newestMilestone()).toBe(4)
  })

  it('have the workflow-level events up to them, and whether they are the first and the last', async () => {
    const { executions } = store
    await executions.write([{ ...insertion({ id: 'a' }), events: [eventRow(1, true)] }])
    await executions.write([{ id: 'a', events: [eventRow(2), eventRow(3, true)] }])
    await executions.write([completed('a', 4)])
    const milestones = await executions.milestones(ALL)
    expect(milestones.map(({ execution }) => execution.events.map(({ seq }) => seq))).toEqual([
      [1],
      [1, 3],
      [1, 3, 4],
    ])
    expect(milestones.map(({ isFirst, isLast }) => [isFirst, isLast])).toEqual([
      [true, false],
      [false, false],
      [false, true],
    ])
  })

  it('are not numbered for writes that were not applied or failed', async () => {
    const { executions } = store
    const created = (id: string) => ({ ...insertion({ id }), events: [eventRow(1, true)] })
    expect(await executions.write([created('a'), created('a'), created('b')])).toEqual([true, false, true])
    const unstorable = {
      ...created('c'),
      insert: executionRow({ id: 'c', workflowId: null as unknown as string }),
    }
    await expect(async () => executions.write([created('d'), unstorable])).rejects.toThrow(/./)
    await executions.write([created('e')])
    expect(await listed(ALL)).toEqual(['1 a', '2 b', '3 e'])
  })

  it('are read up to a number of characters, and at least one', async () => {
    const big = (id: string) => ({
      ...insertion({ id, input: JSON.stringify('x'.repeat(1000)) }),
      events: [eventRow(1, true)],
    })
    await store.executions.write([big('a'), big('b'), big('c')])
    expect(await listed({ ...ALL, chars: 1 })).toEqual(['1 a'])
    expect(await listed({ ...ALL, chars: 2500 })).toEqual(['1 a', '2 b'])
  })

  it('are deleted with the execution, and their numbers are not reused', async () => {
    const { executions } = store
    const ended = (id: string, endedAt: number) => ({
      ...insertion({ id, status: 'completed', endedAt }),
      events: [eventRow(1, true)],
    })
    await executions.write([ended('a', 1), ended('b', 9), ended('c', 2)])
    await executions.prune({ endedBefore: 5, keep: 100 }, 10)
    expect(await listed(ALL)).toEqual(['2 b'])
    expect(await executions.newestMilestone()).toBe(3)
    await executions.write([ended('d', 9)])
    expect(await listed(ALL)).toEqual(['2 b', '4 d'])
  })
}
