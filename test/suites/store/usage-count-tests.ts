import { expect, it } from 'vitest'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import { USAGE_SLICE_MS } from '../../../src/contract/endpoints/usage.ts'
import type { ExecutionFilter } from '../../../src/store/execution-store.ts'
import { COMPLETED, agentRunRow } from './agent-run-rows.ts'
import { insertion } from './execution-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const ALL = { failedAfter: 0, limit: 1000 }

export function usageCountTests(store: StoreUnderTest): void {
  it('counts running, waiting and failed executions, without children', async () => {
    await store.executions.write([
      insertion({ id: 'a' }),
      insertion({ id: 'b', status: 'suspended' }),
      insertion({ id: 'c', status: 'suspended', parentId: 'b' }),
      insertion({ id: 'd', status: 'error', endedAt: 5000 }),
      insertion({ id: 'e', status: 'error', endedAt: 6000 }),
      insertion({ id: 'f', status: 'error', endedAt: 6000, parentId: 'e' }),
      insertion({ id: 'g', status: 'completed' }),
    ])
    expect(await store.usage.counts(ALL)).toEqual({ running: 1, suspended: 2, waiting: 1, failed: 2 })
    expect((await store.usage.counts({ ...ALL, failedAfter: 5000 })).failed).toBe(1)
    expect((await store.usage.counts({ ...ALL, limit: 1 })).suspended).toBe(1)
  })

  it('does not count those that wait for a time or an event as waiting', async () => {
    const suspension = (reason: string, data?: unknown) =>
      JSON.stringify({ suspendedAt: new Date(0).toISOString(), reason, suspendedStepIndex: 0, data })
    const suspended = (id: string, ...args: Parameters<typeof suspension>) =>
      insertion({ id, status: 'suspended', suspension: suspension(...args) })
    await store.executions.write([
      suspended('a', 'sleeping'),
      suspended('b', 'waiting for event'),
      suspended('c', 'approval', ',"reason":"sleeping",'),
      suspended('d', 'sleeping \u0000"'),
    ])
    expect(await store.usage.counts(ALL)).toMatchObject({ suspended: 4, waiting: 2 })
    const listed = await store.executions.list({ needsInput: true }, { limit: 10, offset: 0 })
    expect(listed.map(({ id }) => id).toSorted()).toEqual(['c', 'd'])
    expect(await store.executions.count({ needsInput: true, workflowId: 'order' })).toBe(2)
    const sleeping = await store.executions.list({ sleeps: true }, { limit: 10, offset: 0 })
    expect(sleeping.map(({ id }) => id).toSorted()).toEqual(['a', 'b'])
    expect(await store.executions.count({ sleeps: true, workflowId: 'order' })).toBe(2)
  })

  it('lists answers apart, and those that wait for somebody without those that wait for approvals', async () => {
    const answer = (id: string, path: string, reason: string, userId: string | null = null) =>
      insertion({
        id,
        kind: 'answer',
        userId,
        status: 'suspended',
        suspension: JSON.stringify({
          suspendedAt: new Date(0).toISOString(),
          reason,
          suspendedStepIndex: 0,
          data: { path: 'answer' },
          path,
          resumeSchema: null,
        }),
      })
    await store.executions.write([
      insertion({ id: 'a', status: 'suspended' }),
      answer('b', 'answer', 'approval'),
      answer('c', 'answer/tool-1/answer', 'a question'),
      answer('d', 'answer/tool-1/nap', 'sleeping'),
      answer('e', 'answer/tool-1/ask', 'a question', 'ada'),
    ])
    const page = { limit: 10, offset: 0 }
    const idsOf = async (filter: ExecutionFilter) => {
      const ids = (await store.executions.list({ kind: 'answer', ...filter }, page)).map(({ id }) => id)
      expect(await store.executions.count({ kind: 'answer', ...filter })).toBe(ids.length)
      return ids.toSorted()
    }
    expect(await idsOf({})).toEqual(['b', 'c', 'd', 'e'])
    expect(await idsOf({ needsInput: true })).toEqual(['c', 'e'])
    expect(await idsOf({ needsInput: true, userId: null })).toEqual(['c'])
    expect(await idsOf({ needsInput: true, userId: 'ada' })).toEqual(['e'])
    expect(await store.executions.count({ needsInput: true })).toBe(1)
  })

  it('counts started and ended executions per hour, once each', async () => {
    await store.executions.write([
      insertion({ id: 'a', createdAt: 10 }),
      insertion({ id: 'b', createdAt: 20 }),
    ])
    const end = { from: 'running', set: { status: 'error', endedAt: HOUR_MS + 5, updatedAt: 1 } } as const
    await store.executions.write([{ id: 'a', update: end }])
    // not applied: the execution has ended, and the id is taken
    await store.executions.write([{ id: 'a', update: end }, insertion({ id: 'b', createdAt: 30 })])
    await store.executions.write([
      { id: 'b', update: { from: 'running', set: { status: 'suspended', updatedAt: 2 } } },
    ])
    const [first, second, ...rest] = await store.usage.hours(0)
    expect(rest).toEqual([])
    expect(first).toMatchObject({ hour: 0, started: 2, completed: 0, errors: 0 })
    expect(second).toMatchObject({ hour: 1, started: 0, errors: 1, cancelled: 0 })
    expect(await store.usage.hours(1)).toEqual([second])
  })

  it('deletes counts long after the executions', async () => {
    await store.executions.write([insertion({ id: 'a', createdAt: 0, status: 'completed' })])
    await store.executions.prune({ endedBefore: 40 * HOUR_MS, keep: 10 }, 10)
    expect(await store.usage.hours(0)).toHaveLength(1)
    await store.executions.prune({ endedBefore: 60 * HOUR_MS, keep: 10 }, 10)
    expect(await store.usage.hours(0)).toEqual([])
  })

  it('finds the newest executions of a workflow', async () => {
    await store.executions.write([
      insertion({ id: 'a', workflowId: 'w', createdAt: 1 }),
      insertion({ id: 'b', workflowId: 'w', createdAt: 3, status: 'completed', endedAt: 4 }),
      insertion({ id: 'c', workflowId: 'w', createdAt: 2 }),
      insertion({ id: 'd', workflowId: 'other', createdAt: 9 }),
    ])
    expect(await store.usage.recent('w', 2)).toEqual([
      { id: 'b', status: 'completed', createdAt: 3, endedAt: 4 },
      { id: 'c', status: 'running', createdAt: 2, endedAt: null },
    ])
    expect(await store.usage.recent('unknown', 2)).toEqual([])
  })

  it('counts what ended lately in slices, without the tokens of sub-agents twice', async () => {
    await store.executions.write([
      insertion({ id: 'a', status: 'completed', endedAt: 5 }),
      insertion({ id: 'b', status: 'error', endedAt: USAGE_SLICE_MS }),
      insertion({ id: 'c', status: 'completed', endedAt: USAGE_SLICE_MS + 1 }),
      insertion({ id: 'd' }),
    ])
    const end = { ...COMPLETED, endedAt: USAGE_SLICE_MS + 2 }
    const usage = JSON.stringify({ inputTokens: 30, outputTokens: 4, totalTokens: 34 })
    for (const [id, requester] of [
      ['main', null],
      ['sub', 'agent'],
    ] as const) {
      await store.agentRuns.insert(
        agentRunRow({ id, requester, parentId: requester && 'main', ownerEpoch: store.ownerEpoch }),
      )
      await store.agentRuns.finish(id, { ...end, usage })
    }
    const second = {
      slice: 1,
      completed: 1,
      errors: 1,
      cancelled: 0,
      answers: 2,
      inputTokens: 30,
      outputTokens: 4,
    }
    expect(await store.usage.slices({ after: 5, limit: 10 })).toEqual([second])
    expect(await store.usage.slices({ after: 4, limit: 10 })).toMatchObject([
      { slice: 0, completed: 1 },
      second,
    ])
    expect(await store.usage.slices({ after: 4, limit: 1 })).toMatchObject([
      { slice: 1, completed: 1, errors: 0, answers: 1 },
    ])
  })

  it('counts runs that end with what they are a part of', async () => {
    await store.executions.write([insertion({ id: 'e' })])
    const { agentRuns, ownerEpoch } = store
    const suspension = { continuation: '{}', approvals: [], suspendedAt: 1, expiresAt: 200 }
    const nothing = { output: null, usage: null, steps: null }
    const ids = ['main', 'sub', 'deep']
    for (const [depth, id] of ids.entries()) {
      const requester = depth === 0 ? 'step' : 'agent'
      const parentId = ids[depth - 1] ?? 'e'
      await agentRuns.insert(agentRunRow({ id, requester, parentId, ownerEpoch }), '{}')
      await agentRuns.suspend(id, { ...suspension, ...nothing })
    }
    const set = { status: 'cancelled', endedAt: HOUR_MS + 5, updatedAt: 1 } as const
    await store.executions.write([{ id: 'e', update: { from: 'running', set } }])
    const rows = await agentRuns.list({}, { limit: 10, offset: 0 })
    expect(rows.map(({ status }) => status)).toEqual(['aborted', 'aborted', 'aborted'])
    expect(await store.usage.hours(1)).toMatchObject([{ hour: 1, cancelled: 1, answers: 3 }])
  })

  it('finds the newest runs of an agent, without trials', async () => {
    for (const [id, startedAt, requester] of [
      ['a', 10, null],
      ['b', 30, null],
      ['c', 20, 'step'],
      ['trial', 25, 'lab'],
    ] as const)
      await store.agentRuns.insert(
        agentRunRow({ id, agentId: 'desk', startedAt, requester, ownerEpoch: store.ownerEpoch }),
      )
    await store.agentRuns.finish('b', COMPLETED)
    expect(await store.usage.recentAgentRuns('desk', 2)).toMatchObject([
      { id: 'b', status: 'completed', startedAt: 30, endedAt: COMPLETED.endedAt },
      { id: 'c', status: 'running', startedAt: 20, endedAt: null },
    ])
    expect(await store.usage.recentAgentRuns('nobody', 2)).toEqual([])
  })
}
