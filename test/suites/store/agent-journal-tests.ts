import { expect, it } from 'vitest'
import type { AgentRunRow } from '../../../src/store/agent-store.ts'
import { COMPLETED, agentRunRow } from './agent-run-rows.ts'
import { insertion } from './execution-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const GONE = { status: 'error', endedAt: 5, error: 'gone' } as const
const ALL = { after: 0, limit: 100 }

/** Tests of runs that survive their process. */
export function agentJournalTests(store: StoreUnderTest): void {
  const runs = () => store.agentRuns
  const insert = (id: string, row: Partial<AgentRunRow> = {}) =>
    runs().insert(agentRunRow({ id, ownerEpoch: store.ownerEpoch, ...row }), `{"of":"${id}"}`)
  const dead = () => store.ownerEpoch - 1
  const rowOf = async (id: string) => (await runs().list({ id }, { limit: 1, offset: 0 }))[0]
  const parts = async (id: string, range = ALL) =>
    (await runs().parts(id, range)).map(({ seq, data }) => `${seq} ${data}`)

  it('keep what is needed to continue them until they end, and those of callers to be replayed', async () => {
    await insert('a')
    await runs().insert(agentRunRow({ id: 'plain', ownerEpoch: store.ownerEpoch }))
    expect(await runs().continuation('a')).toBe('{"of":"a"}')
    expect(await runs().continuation('plain')).toBeNull()
    expect(await runs().continuation('unknown')).toBeNull()
    await insert('part', { requester: 'step', parentId: 'e1' })
    await runs().finish('a', COMPLETED)
    await runs().finish('part', COMPLETED)
    expect(await runs().continuation('a')).toBe('{"of":"a"}')
    expect(await runs().continuation('part')).toBeNull()
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

  it('of an owner that has died are claimed once, without their parts', async () => {
    await insert('a')
    await runs().appendParts([{ runId: 'a', seq: 1, data: '1' }])
    await insert('old', { ownerEpoch: dead() })
    expect(await runs().claim('old', store.ownerEpoch)).toBe(false)
    expect(await runs().claim('old', dead())).toBe(true)
    expect(await runs().claim('old', dead())).toBe(false)
    expect(await rowOf('old')).toMatchObject({ status: 'running', ownerEpoch: store.ownerEpoch })
    // as if the owner of the other one had died, too
    expect(await runs().claim('a', store.ownerEpoch)).toBe(true)
    expect(await parts('a')).toEqual([])
  })

  it('without a continuation are not claimed', async () => {
    await runs().insert(agentRunRow({ id: 'plain', ownerEpoch: dead() }))
    expect(await runs().claim('plain', dead())).toBe(false)
  })

  it('are ended with the processes that died only when what requested them has ended', async () => {
    const ownerEpoch = dead()
    await store.executions.write([
      insertion({ id: 'open' }),
      insertion({ id: 'ended', status: 'error', endedAt: 1 }),
    ])
    await store.executions.write([insertion({ id: 'of caller' })])
    await insert('of caller', { ownerEpoch })
    await insert('not begun', { ownerEpoch })
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
