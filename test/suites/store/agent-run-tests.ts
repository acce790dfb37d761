import { expect, it } from 'vitest'
import type { AgentRunRow } from '../../../src/store/agent-store.ts'
import { executionRow, insertion } from './execution-rows.ts'
import { COMPLETED, agentRunRow, runningMessagesOf } from './agent-run-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const all = { limit: 100, offset: 0 }
const KEEP_ALL = 1_000_000

/** Tests of agent runs. */
export function agentRunTests(store: StoreUnderTest): void {
  const insert = async (...ids: string[]) => {
    for (const id of ids) await store.agentRuns.insert(agentRunRow({ id, ownerEpoch: store.ownerEpoch }))
  }
  const listed = async (filter = {}, page = all) =>
    (await store.agentRuns.list(filter, page)).map(({ id }) => id)

  it('are returned as they were stored and ended', async () => {
    const options = JSON.stringify({ temperature: 0, context: { text: 'a\0b' } })
    const facts = { userId: 'ann', conversationId: 'talk', options }
    const row = agentRunRow({ id: 'a', ownerEpoch: store.ownerEpoch, ...facts })
    await store.agentRuns.insert(row)
    expect(await store.agentRuns.list({}, all)).toEqual([row])
    expect(await store.agentRuns.finish('a', COMPLETED)).toBe(true)
    expect(await store.agentRuns.list({}, all)).toEqual([{ ...row, ...COMPLETED }])
  })

  it('have the model that answered, and why a guardrail blocked them', async () => {
    await insert('a')
    await store.agentRuns.finish('a', { ...COMPLETED, model: 'demo/other', blockedReason: 'too long' })
    expect(await store.agentRuns.list({}, all)).toMatchObject([
      { model: 'demo/other', blockedReason: 'too long' },
    ])
  })

  it('end once', async () => {
    await insert('a')
    expect(await store.agentRuns.finish('a', COMPLETED)).toBe(true)
    expect(await store.agentRuns.finish('a', { ...COMPLETED, status: 'aborted' })).toBe(false)
    expect(await store.agentRuns.list({}, all)).toMatchObject([{ status: 'completed' }])
    expect(await store.agentRuns.finish('unknown', COMPLETED)).toBe(false)
  })

  it('of any owner are aborted, once, unless a step or an agent requested them', async () => {
    const others = ['step', 'agent'] as const
    await store.agentRuns.insert(agentRunRow({ id: 'a', ownerEpoch: store.ownerEpoch + 7 }))
    for (const requester of others)
      await store.agentRuns.insert(agentRunRow({ id: requester, ownerEpoch: store.ownerEpoch, requester }))
    const aborted = async (id: string) => store.agentRuns.abort(id, 7)
    expect([await aborted('a'), await aborted('a'), await aborted('unknown')]).toEqual([true, false, false])
    expect([await aborted('step'), await aborted('agent')]).toEqual([false, false])
    expect(await store.agentRuns.list({ status: 'aborted' }, all)).toMatchObject([
      { id: 'a', endedAt: 7, output: null },
    ])
    expect(await listed({ status: 'running' })).toHaveLength(2)
    expect((await store.usage.hours(0)).reduce((sum, hour) => sum + hour.answers, 0)).toBe(1)
  })

  it('of an earlier owner are ended by the next owner only', async () => {
    await store.agentRuns.insert(agentRunRow({ id: 'old', ownerEpoch: store.ownerEpoch - 1 }))
    await insert('new')
    const end = { status: 'error', endedAt: 5, error: 'gone' } as const
    const key = { userId: null, conversationId: 'c' }
    const runningMessages = runningMessagesOf({ key, messages: ['"late"'] })
    expect(await store.agentRuns.finish('old', COMPLETED, runningMessages)).toBe(false)
    expect(await store.conversations.messages(key, 10)).toEqual([])
    expect(await store.agentRuns.endOrphaned(end)).toBe(1)
    expect(await store.agentRuns.endOrphaned(end)).toBe(0)
    expect(await store.agentRuns.list({ status: 'error' }, all)).toMatchObject([{ id: 'old', ...end }])
    expect(await listed({ status: 'running' })).toEqual(['new'])
  })

  it('are listed newest first, with pages and filters', async () => {
    const wanted = { agentId: 'a', userId: 'ann', conversationId: 'talk' }
    const rows = [
      { id: 'first', ...wanted, startedAt: 1 },
      { id: 'agent', ...wanted, agentId: 'b', startedAt: 2 },
      { id: 'user', ...wanted, userId: 'bob', startedAt: 3 },
      { id: 'conversation', ...wanted, conversationId: null, startedAt: 4 },
      { id: 'same time', ...wanted, startedAt: 5 },
      { id: 'last', ...wanted, startedAt: 5 },
    ]
    for (const row of rows)
      await store.agentRuns.insert(agentRunRow({ ...row, ownerEpoch: store.ownerEpoch }))
    expect(await listed()).toEqual(['last', 'same time', 'conversation', 'user', 'agent', 'first'])
    expect(await listed(wanted)).toEqual(['last', 'same time', 'first'])
    expect(await listed(wanted, { limit: 1, offset: 1 })).toEqual(['same time'])
    expect(await store.agentRuns.count(wanted)).toBe(3)
    expect(await store.agentRuns.count({ ...wanted, status: 'completed' })).toBe(0)
    expect(await listed({ ...wanted, id: 'last' })).toEqual(['last'])
    expect(await listed({ userId: 'bob', id: 'last' })).toEqual([])
    expect(await listed({ userId: null })).toEqual([])
    expect(await listed({ changedSince: 5 })).toEqual(['last', 'same time'])
  })

  it('without a user are separate from those of users', async () => {
    await insert('of nobody')
    await store.agentRuns.insert(agentRunRow({ id: 'of ann', ownerEpoch: store.ownerEpoch, userId: 'ann' }))
    expect(await listed({ userId: null })).toEqual(['of nobody'])
    await store.agentRuns.finish('of ann', { ...COMPLETED, endedAt: 9000 })
    expect(await listed({ changedSince: 9000 })).toEqual(['of ann'])
  })

  it('end with the execution of their answer when that fails or is cancelled, and are counted', async () => {
    const end = async (id: string, status: 'cancelled' | 'error' | 'completed') => {
      const error = status === 'error' ? '{"message":"Out of paper"}' : null
      const set = { status, error, updatedAt: 2000, endedAt: 2000 }
      await store.executions.write([{ id, update: { from: 'running', set } }])
    }
    for (const id of ['cancelled', 'failed', 'running', 'workflow', 'other']) {
      const status = id === 'running' ? 'running' : 'suspended'
      const row = agentRunRow({ id, status, ownerEpoch: store.ownerEpoch, expiresAt: 9000 })
      await store.agentRuns.insert(row, '{"prompt":"Hi"}')
      const kind = id === 'workflow' ? 'workflow' : 'answer'
      await store.executions.write([{ id, insert: executionRow({ id, kind, ownerEpoch: store.ownerEpoch }) }])
    }
    await end('cancelled', 'cancelled')
    await end('failed', 'error')
    await end('running', 'completed')
    await end('workflow', 'cancelled')
    expect(await listed({ status: 'aborted' })).toEqual(['cancelled'])
    expect(await store.agentRuns.list({ id: 'failed' }, all)).toMatchObject([
      { status: 'error', error: 'Out of paper', endedAt: 2000, expiresAt: null },
    ])
    expect(await store.agentRuns.continuation('failed')).toBe('{"prompt":"Hi"}')
    expect(await listed({ status: 'suspended' })).toEqual(['other', 'workflow'])
    expect(await store.usage.hours(0)).toMatchObject([{ hour: 0, answers: 2 }])
  })

  it('are counted per hour, with their tokens', async () => {
    for (const id of ['a', 'b']) {
      await store.agentRuns.insert(agentRunRow({ id, ownerEpoch: store.ownerEpoch }))
      await store.agentRuns.finish(id, { ...COMPLETED, usage: '{"inputTokens":3,"outputTokens":4}' })
    }
    await store.agentRuns.finish('a', COMPLETED)
    const [hour] = await store.usage.hours(0)
    expect(hour).toMatchObject({ hour: 0, answers: 2, inputTokens: 6, outputTokens: 8 })
  })

  const finish = async (id: string, usage: object | null, of: Partial<AgentRunRow> = {}) => {
    await store.agentRuns.insert(agentRunRow({ id, ownerEpoch: store.ownerEpoch, ...of }))
    await store.agentRuns.finish(id, { ...COMPLETED, usage: usage && JSON.stringify(usage) })
  }

  it('are counted per hour with their cost, which is unknown when that of one is', async () => {
    const costs = async () => (await store.usage.hours(0))[0]?.costNano
    await finish('a', { inputTokens: 1, outputTokens: 1, costUsd: 0.1 })
    await finish('b', { inputTokens: 1, outputTokens: 1, costUsd: 0.2 })
    await finish('failed', null)
    expect(await costs()).toBe(300_000_000)
    await finish('c', { inputTokens: 1, outputTokens: 1, costUsd: null })
    await finish('d', { inputTokens: 1, outputTokens: 1, costUsd: 0.2 })
    expect(await costs()).toBeNull()
    expect(await store.usage.hours(0)).toMatchObject([{ answers: 5, inputTokens: 4 }])
  })

  it('of sub-agents are counted with the run that called them', async () => {
    await finish('inner', { inputTokens: 3, outputTokens: 4, costUsd: null }, { requester: 'agent' })
    await finish('outer', { inputTokens: 8, outputTokens: 9, costUsd: 0.5 })
    expect(await store.usage.hours(0)).toMatchObject([
      { answers: 2, inputTokens: 8, outputTokens: 9, costNano: 500_000_000 },
    ])
  })

  it('of trials are in no count of the hours and slices', async () => {
    await finish('trial', { inputTokens: 30, outputTokens: 40, costUsd: 0.5 }, { requester: 'lab' })
    await finish('answer', { inputTokens: 3, outputTokens: 4, costUsd: 0.1 })
    expect(await store.usage.hours(0)).toMatchObject([
      { answers: 1, inputTokens: 3, outputTokens: 4, costNano: 100_000_000 },
    ])
    expect(await store.usage.slices({ after: 0, limit: 10 })).toMatchObject([
      { answers: 1, inputTokens: 3, outputTokens: 4 },
    ])
  })

  it('of steps are summed for their execution', async () => {
    const usage = (costUsd: number | null) => ({
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 15,
      cachedInputTokens: 4,
      reasoningTokens: 2,
      costUsd,
    })
    await store.executions.write(['e', 'f', 'g'].map((id) => insertion({ id, ownerEpoch: store.ownerEpoch })))
    const ofStep = (parentId: string) => ({ requester: 'step', parentId }) as const
    await finish('e1', usage(0.1), ofStep('e'))
    await finish('e2', usage(0.2), ofStep('e'))
    await finish('sub-agent of e2', usage(0.05), { requester: 'agent', parentId: 'e2' })
    await finish('failed', null, ofStep('e'))
    await finish('f1', usage(0.1), ofStep('f'))
    await finish('f2', usage(null), ofStep('f'))
    await finish('of a caller', usage(0.1))
    expect(await store.agentRuns.usageOf(['e', 'f', 'g', 'unknown'])).toEqual(
      new Map([
        [
          'e',
          {
            inputTokens: 20,
            outputTokens: 10,
            totalTokens: 30,
            cachedInputTokens: 8,
            reasoningTokens: 4,
            costUsd: 0.3,
          },
        ],
        ['f', expect.objectContaining({ totalTokens: 30, costUsd: null }) as unknown],
      ]),
    )
    expect(await store.agentRuns.usageOf([])).toEqual(new Map())
  })

  it('are summed for as long as their execution is kept', async () => {
    await store.executions.write([insertion({ id: 'e', ownerEpoch: store.ownerEpoch, status: 'completed' })])
    await finish('e1', { inputTokens: 1, costUsd: 0.1 }, { requester: 'step', parentId: 'e' })
    await store.agentRuns.prune({ endedBefore: COMPLETED.endedAt + 1, keep: KEEP_ALL }, 10)
    expect([...(await store.agentRuns.usageOf(['e'])).keys()]).toEqual(['e'])
    await store.executions.prune({ endedBefore: COMPLETED.endedAt + 1, keep: KEEP_ALL }, 10)
    await store.executions.write([insertion({ id: 'e', ownerEpoch: store.ownerEpoch })])
    expect(await store.agentRuns.usageOf(['e'])).toEqual(new Map())
  })

  it('are deleted when they are too old or too many, but never while they run', async () => {
    await insert('a', 'b', 'c', 'd', 'runs')
    for (const [index, id] of ['a', 'b', 'c', 'd'].entries())
      await store.agentRuns.finish(id, { ...COMPLETED, endedAt: index })
    expect(await store.agentRuns.prune({ endedBefore: 2, keep: KEEP_ALL }, 1)).toBe(1)
    expect(await store.agentRuns.prune({ endedBefore: 2, keep: KEEP_ALL }, 10)).toBe(1)
    expect(await listed()).toEqual(['runs', 'd', 'c'])
    expect(await store.agentRuns.prune({ endedBefore: 0, keep: 1 }, 10)).toBe(1)
    expect(await store.agentRuns.prune({ endedBefore: 0, keep: 1 }, 10)).toBe(0)
    expect(await listed()).toEqual(['runs', 'd'])
  })
}
