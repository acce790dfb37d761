import { expect, it } from 'vitest'
import type { AgentRunRow } from '../../../src/store/agent-store.ts'
import type { NewApproval } from '../../../src/store/agents/agent-approvals.ts'
import { COMPLETED, agentRunRow } from './agent-run-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const ALL = { limit: 100, offset: 0 }

/** Tests of runs that wait for people and clients. */
export function agentApprovalTests(store: StoreUnderTest): void {
  const runs = () => store.agentRuns
  const approval = (id: string): NewApproval => ({
    id,
    kind: 'tool',
    toolCallId: `call-${id}`,
    toolName: 'refund',
    input: '{"amount":250}',
  })
  const suspend = async (id: string, approvals: readonly string[], row: Partial<AgentRunRow> = {}) => {
    await runs().insert(agentRunRow({ id, ownerEpoch: store.ownerEpoch, ...row }))
    return runs().suspend(id, {
      continuation: '{"messages":[]}',
      approvals: approvals.map(approval),
      suspendedAt: 100,
      expiresAt: 200,
      output: '"so far"',
      usage: '{"inputTokens":1}',
      steps: '[1]',
    })
  }
  const rowOf = async (id: string) => (await runs().list({ id }, { limit: 1, offset: 0 }))[0]
  const pending = async (filter = {}) =>
    (await runs().approvals({ ...filter, isPending: true }, ALL)).map(({ id }) => id)
  const approved = (...ids: readonly string[]) => ids.map((id) => ({ id, decision: '{"approved":true}' }))
  const decide = (run: string, ids: readonly string[], decidedAt = 150) =>
    runs().decide(run, approved(...ids), { decidedAt })

  it('keep what they have so far, and what they need to continue', async () => {
    expect(await suspend('a', ['one'])).toBe(true)
    expect(await rowOf('a')).toMatchObject({
      status: 'suspended',
      endedAt: null,
      expiresAt: 200,
      output: '"so far"',
      usage: '{"inputTokens":1}',
      steps: '[1]',
    })
    expect(await runs().continuation('a')).toBe('{"messages":[]}')
    expect(await runs().endOrphaned({ status: 'error', endedAt: 5, error: 'gone' })).toBe(0)
    expect(await runs().finish('a', COMPLETED)).toBe(true)
    expect(await suspend('b', [], { ownerEpoch: store.ownerEpoch - 1 })).toBe(false)
  })

  it('are found and counted for people without those of steps', async () => {
    await suspend('a', ['one', 'two'], { userId: 'ada' })
    await suspend('b', ['three'], { requester: 'step', parentId: 'x' })
    const forPeople = { isPending: true, isForPeople: true } as const
    expect(await pending({ isForPeople: true })).toEqual(['one', 'two'])
    expect(await runs().countApprovals(forPeople)).toBe(2)
    expect(await runs().countApprovals({ ...forPeople, userId: 'bob' })).toBe(0)
  })

  it('are listed by their approvals, oldest first', async () => {
    await suspend('a', ['one', 'two'], { userId: 'ann', conversationId: 'talk' })
    await suspend('b', ['three'], { agentId: 'other' })
    expect(await runs().approvals({ id: 'two' }, ALL)).toEqual([
      {
        ...approval('two'),
        createdAt: 100,
        decidedAt: null,
        decision: null,
        runId: 'a',
        agentId: 'helper',
        userId: 'ann',
        conversationId: 'talk',
        traceId: 'trace',
        expiresAt: 200,
      },
    ])
    expect(await pending()).toEqual(['one', 'two', 'three'])
    expect(await pending({ userId: 'ann' })).toEqual(['one', 'two'])
    expect(await pending({ userId: null })).toEqual(['three'])
    expect(await pending({ agentId: 'other', runId: 'b' })).toEqual(['three'])
    expect(await pending({ conversationId: 'none' })).toEqual([])
    expect((await runs().approvals({}, { limit: 1, offset: 1 })).map(({ id }) => id)).toEqual(['two'])
  })

  it('continue with the last decision, once', async () => {
    await suspend('a', ['one', 'two'])
    expect(await decide('a', ['one'])).toBe('waiting')
    expect(await pending()).toEqual(['two'])
    expect(await decide('a', ['one', 'two'])).toBe('refused')
    expect(await pending()).toEqual(['two'])
    expect(await decide('a', ['two'])).toBe('claimed')
    expect(await decide('a', ['two'])).toBe('refused')
    expect(await rowOf('a')).toMatchObject({
      status: 'running',
      ownerEpoch: store.ownerEpoch,
      expiresAt: null,
    })
    expect(await runs().approvals({ runId: 'a' }, ALL)).toMatchObject([
      { id: 'one', decidedAt: 150, decision: '{"approved":true}' },
      { id: 'two', decidedAt: 150 },
    ])
    expect(await runs().finish('a', COMPLETED)).toBe(true)
    expect(await runs().approvals({ runId: 'a' }, ALL)).toHaveLength(2)
  })

  it('are continued by one of two that decide at the same time', async () => {
    await suspend('a', ['one', 'two'])
    const both = await Promise.all([decide('a', ['one']), decide('a', ['two'])])
    expect(both.toSorted()).toEqual(['claimed', 'waiting'])
    await suspend('b', ['three'])
    const same = await Promise.all([decide('b', ['three']), decide('b', ['three'])])
    expect(same.toSorted()).toEqual(['claimed', 'refused'])
  })

  it('refuse decisions about other runs, unknown approvals, and those that come too late', async () => {
    await suspend('a', ['one'])
    await suspend('b', ['two'])
    expect(await decide('a', ['two'])).toBe('refused')
    expect(await decide('a', ['none'])).toBe('refused')
    expect(await decide('unknown', ['one'])).toBe('refused')
    expect(await decide('a', ['one'], 200)).toBe('refused')
    expect(await pending()).toEqual(['one', 'two'])
  })

  it('begin the parts of their answer again when they continue', async () => {
    await runs().insert(agentRunRow({ id: 'a', ownerEpoch: store.ownerEpoch }), '{}')
    await runs().appendParts([{ runId: 'a', seq: 1, data: '1' }])
    const end = { suspendedAt: 1, expiresAt: 200, output: null, usage: null, steps: null }
    await runs().suspend('a', { ...end, continuation: '{}', approvals: [approval('one')] })
    expect(await runs().parts('a', { after: 0, limit: 9 })).toHaveLength(1)
    expect(await decide('a', ['one'])).toBe('claimed')
    expect(await runs().parts('a', { after: 0, limit: 9 })).toEqual([])
  })

  it('expire at their time, and then have nothing pending', async () => {
    await suspend('a', ['one'])
    expect(await runs().expire('a', { endedAt: 199, error: 'late' })).toBe(false)
    expect(await runs().expire('a', { endedAt: 200, error: 'late' })).toBe(true)
    expect(await runs().expire('a', { endedAt: 201, error: 'late' })).toBe(false)
    expect(await rowOf('a')).toMatchObject({ status: 'error', endedAt: 200, error: 'late', expiresAt: null })
    expect(await pending()).toEqual([])
    expect(await runs().continuation('a')).toBe('{"messages":[]}')
    expect((await store.usage.hours(0)).reduce((sum, hour) => sum + hour.answers, 0)).toBe(1)
  })

  it('have nothing pending when they are aborted', async () => {
    await suspend('a', ['one', 'two'])
    await decide('a', ['one'])
    expect(await runs().abort('a', 160)).toBe(true)
    expect(await pending()).toEqual([])
    expect(await runs().approvals({ runId: 'a' }, ALL)).toMatchObject([{ id: 'one' }])
    await runs().prune({ endedBefore: 161, keep: 100 }, 10)
    expect(await runs().approvals({}, ALL)).toEqual([])
  })
}
