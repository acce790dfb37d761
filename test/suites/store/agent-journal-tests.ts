import { expect, it } from 'vitest'
import type { AgentRunRow } from '../../../src/store/agent-store.ts'
import { COMPLETED, agentRunRow } from './agent-run-rows.ts'
import { insertion } from './execution-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const GONE = { status: 'error', endedAt: 5, error: 'gone' } as const
const ALL = { after: 0, limit: 100 }

/** Tests of runs that survive their process. */
const CLEAN = { crashes: 0, suspected: 0 }

export function agentJournalTests(store: StoreUnderTest): void {
  const runs = () => store.agentRuns
  const insert = (id: string, row: Partial<AgentRunRow> = {}) =>
    runs().insert(agentRunRow({ id, ownerEpoch: store.ownerEpoch, ...row }), `{"of":"${id}"}`)
  const dead = () => store.ownerEpoch - 1
  const rowOf = async (id: string) => (await runs().list({ id }, { limit: 1, offset: 0 }))[0]
  const parts = async (id: string, range = ALL) =>
    (await runs().parts(id, range)).map(({ seq, data }) => `${seq} ${data}`)

  it('keep what is needed to continue them until they end', async () => {
    await insert('a')
    await runs().insert(agentRunRow({ id: 'plain', ownerEpoch: store.ownerEpoch }))
    expect(await runs().continuation('a')).toBe('{"of":"a"}')
    expect(await runs().continuation('plain')).toBeNull()
    expect(await runs().continuation('unknown')).toBeNull()
    await runs().finish('a', COMPLETED)
    expect(await runs().continuation('a')).toBeNull()
  })

  it('are found by the key of their request, which is unique', async () => {
    const request = { requester: 'step', parentId: 'e1', requestKey: 'e1:ask' } as const
    await insert('a', request)
    expect(await runs().list({ requestKey: 'e1:ask' }, { limit: 1, offset: 0 })).toMatchObject([
      { id: 'a', ...request },
    ])
    await expect(insert('b', request)).rejects.toThrow(/unique/i)
    expect(await rowOf('b')).toBeUndefined()
  })

  it('have recorded calls until they end', async () => {
    await insert('a')
    await insert('b')
    const value = JSON.stringify({ text: 'nul \0', lone: '\ud800' })
    const calls = [
      { runId: 'a', key: 'model:0', value },
      { runId: 'b', key: 'model:0', value: '2' },
      { runId: 'unknown', key: 'model:0', value: '3' },
      { runId: 'a', key: 'tool:x', value: '4' },
    ]
    expect(await runs().record(calls)).toEqual([true, true, false, true])
    expect(await runs().calls('a')).toEqual(
      new Map([
        ['model:0', value],
        ['tool:x', '4'],
      ]),
    )
    await runs().finish('a', COMPLETED)
    expect(await runs().calls('a')).toEqual(new Map())
    expect(await runs().calls('b')).toEqual(new Map([['model:0', '2']]))
    await runs().abort('b', 9)
    expect(await runs().calls('b')).toEqual(new Map())
    expect(await runs().record([{ runId: 'a', key: 'late', value: '1' }])).toEqual([false])
  })

  it('have the parts of their answer, by ranges', async () => {
    await insert('a')
    const batch = [
      { runId: 'a', seq: 2, data: '1\n2' },
      { runId: 'unknown', seq: 1, data: '1' },
      { runId: 'a', seq: 3, data: '3' },
    ]
    expect(await runs().appendParts(batch)).toEqual([true, false, true])
    expect(await parts('a')).toEqual(['2 1\n2', '3 3'])
    expect(await parts('a', { after: 1, limit: 1 })).toEqual(['2 1\n2'])
    expect(await parts('a', { after: 2, limit: 9 })).toEqual(['3 3'])
    await runs().finish('a', COMPLETED)
    expect(await parts('a')).toHaveLength(2)
    expect(await runs().pruneParts(COMPLETED.endedAt, 10)).toBe(0)
    expect(await runs().pruneParts(COMPLETED.endedAt + 1, 10)).toBe(1)
    expect(await runs().pruneParts(COMPLETED.endedAt + 1, 10)).toBe(0)
    expect(await parts('a')).toEqual([])
  })

  it('of an owner that has died are claimed once, with their calls and without their parts', async () => {
    await insert('a')
    await runs().record([{ runId: 'a', key: 'model:0', value: '1' }])
    await runs().appendParts([{ runId: 'a', seq: 1, data: '1' }])
    await insert('old', { ownerEpoch: dead() })
    expect(await runs().claim('old', store.ownerEpoch, CLEAN)).toBe(false)
    expect(await runs().record([{ runId: 'old', key: 'model:0', value: '1' }])).toEqual([false])
    expect(await runs().claim('old', dead(), CLEAN)).toBe(true)
    expect(await runs().claim('old', dead(), CLEAN)).toBe(false)
    expect(await rowOf('old')).toMatchObject({ status: 'running', ownerEpoch: store.ownerEpoch, crashes: 0 })
    expect(await runs().record([{ runId: 'old', key: 'model:0', value: '1' }])).toEqual([true])
    // as if the owner of the other one had died, too
    expect(await runs().claim('a', store.ownerEpoch, CLEAN)).toBe(true)
    expect(await parts('a')).toEqual([])
    expect(await runs().calls('a')).toEqual(new Map([['model:0', '1']]))
  })

  it('without a continuation are not claimed', async () => {
    await runs().insert(agentRunRow({ id: 'plain', ownerEpoch: dead() }))
    expect(await runs().claim('plain', dead(), CLEAN)).toBe(false)
  })

  it('keep what is known against them until a call is recorded, and are in flight from their continuation on', async () => {
    await insert('a')
    const known = async () => {
      const row = await rowOf('a')
      return [row?.crashes, row?.suspected, row?.trial]
    }
    expect(await known()).toEqual([0, 0, null])
    await runs().claim('a', store.ownerEpoch, { crashes: 1, suspected: 2 })
    expect(await known()).toEqual([1, 2, 'waiting'])
    expect(await runs().begin('a')).toBe(true)
    expect(await known()).toEqual([1, 2, null])
    await runs().pass('a')
    expect(await known()).toEqual([1, 2, 'passed'])
    await runs().leave(['a'])
    expect(await known()).toEqual([1, 2, 'waiting'])
    await runs().begin('a')
    await runs().record([{ runId: 'a', key: 'model:0', value: '1' }])
    expect(await known()).toEqual([0, 0, null])
    await runs().claim('a', store.ownerEpoch, { crashes: 1, suspected: 0 })
    await runs().progress('a')
    expect((await known()).slice(0, 2)).toEqual([0, 0])
    await insert('of another', { ownerEpoch: dead() })
    expect(await runs().begin('of another')).toBe(false)
  })

  it('are ended with the processes that died only when what requested them has ended', async () => {
    const ownerEpoch = dead()
    await store.executions.write([
      insertion({ id: 'open' }),
      insertion({ id: 'ended', status: 'error', endedAt: 1 }),
    ])
    await insert('of caller', { ownerEpoch })
    await insert('of open', { ownerEpoch, requester: 'step', parentId: 'open' })
    await insert('of ended', { ownerEpoch, requester: 'step', parentId: 'ended' })
    await insert('of run', { ownerEpoch, requester: 'agent', parentId: 'of caller' })
    await insert('of run that ended', { ownerEpoch, requester: 'agent', parentId: 'of ended' })
    expect(await runs().endOrphaned(GONE)).toBe(2)
    const ended = (await runs().list({ status: 'error' }, { limit: 9, offset: 0 })).map(({ id }) => id)
    expect(ended.toSorted()).toEqual(['of ended', 'of run that ended'])
    expect(await runs().continuation('of ended')).toBeNull()
  })

  it('are deleted with their parts', async () => {
    await insert('a')
    await runs().appendParts([{ runId: 'a', seq: 1, data: '1' }])
    await runs().finish('a', COMPLETED)
    await runs().prune({ endedBefore: COMPLETED.endedAt + 1, keep: 100 }, 10)
    await insert('b')
    expect(await parts('a')).toEqual([])
    expect(await parts('b')).toEqual([])
  })
}
