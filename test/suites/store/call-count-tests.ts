import { expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import { UNTIMED } from '../../../src/store/usage-store.ts'
import type { ModelCalls, StepTime } from '../../../src/store/usage-store.ts'
import { agentRunRow, COMPLETED } from './agent-run-rows.ts'
import { insertion } from './execution-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const ALL = { fromHour: 0, toHour: 1000 }

export function callCountTests(store: StoreUnderTest): void {
  const time = (of: Partial<StepTime>): StepTime => ({
    workflowId: 'order',
    step: 'charge',
    endedAt: 5,
    bucket: 9,
    failed: false,
    ...of,
  })
  const calls = (of: Partial<ModelCalls> = {}): ModelCalls => ({
    agentId: 'clerk',
    model: 'demo/demo',
    place: { executionId: 'e', workflowId: 'order', step: 'ask' },
    calls: 1,
    unpriced: 0,
    inputTokens: 10,
    outputTokens: 2,
    costNano: 7,
    ...of,
  })
  const answer = async (id: string, used: readonly ModelCalls[], endedAt = 2000) => {
    await store.agentRuns.insert(agentRunRow({ id, ownerEpoch: store.ownerEpoch }))
    return store.agentRuns.finish(id, { ...COMPLETED, endedAt, calls: used })
  }

  it('counts steps by day and duration, with the write that ends them', async () => {
    const end = { from: 'running', set: { status: 'completed', endedAt: 9, updatedAt: 9 } } as const
    await store.executions.write([
      { ...insertion({ id: 'a' }), stepTimes: [time({}), time({}), time({ bucket: UNTIMED })] },
      { ...insertion({ id: 'b' }), stepTimes: [time({ failed: true }), time({ step: 'lines[]/price' })] },
    ])
    await store.executions.write([
      { id: 'a', update: end, stepTimes: [time({}), time({ endedAt: DAY_MS })] },
      // not applied
      { ...insertion({ id: 'b' }), stepTimes: [time({})] },
      { ...insertion({ id: 'c' }), stepTimes: [time({ workflowId: 'other' })] },
    ])
    expect(await store.usage.stepTimes('order', [0, 1])).toEqual([
      { step: 'charge', bucket: UNTIMED, completed: 1, errors: 0 },
      { step: 'charge', bucket: 9, completed: 4, errors: 1 },
      { step: 'lines[]/price', bucket: 9, completed: 1, errors: 0 },
    ])
    expect(await store.usage.stepTimes('order', [1, 2])).toEqual([
      { step: 'charge', bucket: 9, completed: 1, errors: 0 },
    ])
    expect(await store.usage.stepTimes('unknown', [0])).toEqual([])
  })

  it('sums model calls by step, agent, model and time', async () => {
    await store.executions.write([insertion({ id: 'e' })])
    await answer('a', [calls(), calls({ model: 'demo/other', calls: 3, unpriced: 3, costNano: 0 })])
    await answer('b', [calls()])
    await answer('c', [calls({ place: null })], HOUR_MS)
    const other = { place: { executionId: 'e', workflowId: 'other', step: 'ask' } }
    await answer('d', [calls(other)], 25 * HOUR_MS)
    const sums = { calls: 1, unpriced: 0, inputTokens: 10, outputTokens: 2, costNano: 7 }
    const twice = { calls: 2, unpriced: 0, inputTokens: 20, outputTokens: 4, costNano: 14 }
    const unpriced = { ...sums, calls: 3, unpriced: 3, costNano: 0 }
    const place = { workflowId: 'order', step: 'ask', agentId: 'clerk', model: 'demo/demo' }
    const ofOrder = [
      { ...place, ...twice },
      { ...place, model: 'demo/other', ...unpriced },
    ]
    const ofCaller = { ...place, workflowId: '', step: '', ...sums }
    expect(await store.usage.calls(ALL)).toEqual([
      ofCaller,
      ...ofOrder,
      { ...place, workflowId: 'other', ...sums },
    ])
    expect(await store.usage.calls({ fromHour: 0, toHour: 0 })).toEqual(ofOrder)
    expect(await store.usage.calls({ fromHour: 1, toHour: 1 })).toEqual([ofCaller])
    expect(await store.usage.calls({ ...ALL, workflowId: 'order' })).toEqual(ofOrder)
    expect(await store.usage.calls({ ...ALL, agentId: 'nobody' })).toEqual([])
    const first = { calls: 5, unpriced: 3, inputTokens: 30, outputTokens: 6, costNano: 14 }
    expect(await store.usage.callsByTime(ALL, 1)).toEqual([
      { hour: 0, ...first },
      { hour: 1, ...sums },
      { hour: 25, ...sums },
    ])
    expect(await store.usage.callsByTime(ALL, 24)).toEqual([
      { hour: 0, calls: 6, unpriced: 3, inputTokens: 40, outputTokens: 8, costNano: 21 },
      { hour: 24, ...sums },
    ])
    const { workflowId: _, ...step } = place
    expect(await store.usage.callsOfExecution('e')).toEqual([
      { ...step, calls: 3, unpriced: 0, inputTokens: 30, outputTokens: 6, costNano: 21 },
      { ...step, model: 'demo/other', ...unpriced },
    ])
    expect(await store.usage.callsOfExecution('unknown')).toEqual([])
  })

  it('counts model calls once, with the end of their run or when it is suspended', async () => {
    await store.executions.write([insertion({ id: 'e' })])
    await store.agentRuns.insert(agentRunRow({ id: 'a', ownerEpoch: store.ownerEpoch }))
    const suspension = { continuation: '{}', approvals: [], suspendedAt: 3, expiresAt: 9 }
    const none = { output: null, usage: null, steps: null }
    expect(await store.agentRuns.suspend('a', { ...suspension, ...none, calls: [calls()] })).toBe(true)
    expect(await store.agentRuns.suspend('a', { ...suspension, ...none, calls: [calls()] })).toBe(false)
    expect(await store.usage.calls(ALL)).toMatchObject([{ calls: 1 }])
    expect(await store.agentRuns.finish('a', { ...COMPLETED, calls: [calls()] })).toBe(true)
    expect(await store.agentRuns.finish('a', { ...COMPLETED, calls: [calls()] })).toBe(false)
    expect(await store.usage.calls(ALL)).toMatchObject([{ calls: 2 }])
    expect(await store.usage.callsOfExecution('e')).toMatchObject([{ calls: 2 }])
  })

  it('keeps the name of a model as it is', async () => {
    await answer('a', [calls({ model: 'x/\\u0000"\ud83d\ude00', place: null })])
    expect(await store.usage.calls(ALL)).toMatchObject([{ model: 'x/\\u0000"\ud83d\ude00' }])
  })

  it('deletes the calls of an execution with it, and sums long after', async () => {
    await store.executions.write([
      { ...insertion({ id: 'e', status: 'completed', createdAt: 0 }), stepTimes: [time({})] },
    ])
    await answer('a', [calls()])
    const prune = async (days: number) => {
      const deleted = await store.executions.prune({ endedBefore: days * DAY_MS, keep: 10 }, 10)
      const { usage } = store
      const left = [await usage.callsOfExecution('e'), await usage.calls(ALL)]
      return [deleted, ...left.map(({ length }) => length), (await usage.stepTimes('order', [0])).length]
    }
    expect(await prune(1)).toEqual([1, 0, 1, 1])
    expect(await prune(4)).toEqual([0, 0, 0, 0])
  })
}
