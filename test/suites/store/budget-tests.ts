import { expect, it } from 'vitest'
import type { BudgetLimit } from '../../../src/store/budget-store.ts'
import { agentRunRow } from './agent-run-rows.ts'
import { executionRow } from './execution-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const limit = (of: Partial<BudgetLimit> = {}): BudgetLimit => ({
  declaredOn: 'config',
  per: 'project',
  subject: '',
  fromHour: 0,
  costNano: null,
  tokens: 100,
  untilHour: 50,
  ...of,
})
const amount = (tokens: number, costNano = 0) => ({ tokens, costNano })

export function budgetTests(store: StoreUnderTest): void {
  const reserve = (call: string, tokens: number, limits: readonly BudgetLimit[] = [limit()], hour = 10) =>
    store.budgets.reserve({ call, hour, amount: amount(tokens, tokens * 10), limits })
  const used = async (per = 'project', fromHour = 0) => {
    const top = await store.budgets.top({ declaredOn: 'config', per }, { fromHour, by: 'tokens', limit: 10 })
    return top.map(({ subject, tokens }) => [subject, tokens])
  }

  it('reserves calls of a budget up to its limit, and no call that exceeds it', async () => {
    expect(await reserve('a', 60)).toEqual([])
    expect(await reserve('b', 41, [limit()], 11)).toEqual([
      { index: 0, hours: [{ hour: 10, tokens: 60, costNano: 600 }] },
    ])
    expect(await reserve('c', 40, [limit()], 11)).toEqual([])
    expect(await used()).toEqual([['', 100]])
    expect(await reserve('d', 101, [limit({ subject: 'other' })])).toEqual([{ index: 0, hours: [] }])
  })

  it('counts what a call has used in place of its reservation', async () => {
    await reserve('a', 60)
    await store.budgets.settle('a', amount(10))
    await store.budgets.settle('a', amount(1000))
    expect(await used()).toEqual([['', 10]])
    await reserve('b', 90)
    await store.budgets.settle('b', amount(20))
    expect(await used()).toEqual([['', 30]])
  })

  it('replaces the reservation of a call that is repeated, unless it exceeds the limit by then', async () => {
    await reserve('a', 60)
    expect(await reserve('a', 90)).toEqual([])
    expect(await used()).toEqual([['', 90]])
    expect(await reserve('a', 101)).toHaveLength(1)
    expect(await used()).toEqual([['', 90]])
  })

  it('counts what was used since the start of the window', async () => {
    await reserve('a', 60)
    await store.budgets.settle('a', amount(60))
    expect(await reserve('b', 60, [limit({ fromHour: 10 })], 12)).toHaveLength(1)
    expect(await reserve('b', 60, [limit({ fromHour: 11 })], 12)).toEqual([])
    expect(await used('project', 11)).toEqual([['', 60]])
  })

  it('reserves a call in all budgets or in none', async () => {
    const [project, user, ofCost] = [
      limit(),
      limit({ per: 'user', subject: 'ann\0', tokens: 30 }),
      limit({ tokens: null, costNano: 100 }),
    ]
    expect(await reserve('a', 40, [project, user])).toEqual([{ index: 1, hours: [] }])
    expect(await reserve('b', 11, [ofCost])).toEqual([{ index: 0, hours: [] }])
    expect(await used()).toEqual([])
    // those with the same counter share its use
    expect(await reserve('c', 10, [project, user, ofCost])).toEqual([])
    expect(await used()).toEqual([['', 10]])
    expect(await used('user')).toEqual([[expect.stringContaining('ann'), 10]])
  })

  it('only counts calls where there is no limit', async () => {
    expect(await reserve('a', 1000, [limit({ tokens: null })])).toEqual([])
    expect(await used()).toEqual([['', 1000]])
  })

  it('names the subjects that have used most of a budget', async () => {
    for (const [subject, tokens] of [
      ['ann', 5],
      ['bob', 20],
      ['cat', 7],
    ] as const)
      await reserve(subject, tokens, [limit({ per: 'user', subject })])
    expect(await used('user')).toEqual([
      ['bob', 20],
      ['cat', 7],
      ['ann', 5],
    ])
  })

  it('deletes use that counts no more, and that of a run with its record', async () => {
    await store.executions.write([
      { id: 'e', insert: executionRow({ id: 'e', status: 'completed', endedAt: 5 }), events: [] },
    ])
    await store.agentRuns.insert(agentRunRow({ id: 'r', ownerEpoch: store.ownerEpoch }))
    const run = (subject: string) => limit({ per: 'run', subject, untilHour: null })
    await reserve('a', 1)
    await reserve('b', 2, [run('e'), limit({ untilHour: 60 })], 11)
    await reserve('c', 3, [run('r')])
    expect(await store.budgets.prune(49, 10)).toBe(0)
    expect(await store.budgets.prune(50, 10)).toBe(1)
    expect(await used()).toEqual([['', 2]])
    expect(await used('run')).toEqual([
      ['r', 3],
      ['e', 2],
    ])
    await store.executions.prune({ endedBefore: 10, keep: 10 }, 10)
    expect(await used('run')).toEqual([['r', 3]])
    await store.erasure.delete({ executions: [], runs: ['r'] })
    expect(await used('run')).toEqual([])
  })

  it('deletes the use of a user on request', async () => {
    await reserve('a', 1, [limit({ per: 'user', subject: 'ann' }), limit({ per: 'agent', subject: 'ann' })])
    await reserve('b', 1, [limit({ per: 'user', subject: 'bob' })])
    expect(await store.erasure.deleteUser('ann')).toEqual({ budget_hours: 1 })
    expect(await used('user')).toEqual([['bob', 1]])
    expect(await used('agent')).toEqual([['ann', 1]])
  })

  it('shares a budget between calls that are reserved at the same time', async () => {
    const calls = Array.from({ length: 64 }, (_, index) => reserve(`call ${index}`, 10))
    const refused = (await Promise.all(calls)).filter((exceeded) => exceeded.length > 0)
    expect(refused).toHaveLength(54)
    expect(await used()).toEqual([['', 100]])
  })
}
