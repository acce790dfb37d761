import { BudgetExceededError, type Budget } from 'agentserver'
import { pino } from 'pino'
import { beforeEach, expect, it, vi } from 'vitest'
import { NO_METER } from '../../../../src/engine/engine-meter.ts'
import { AnswerBudget } from '../../../../src/engine/budgets/answer-budget.ts'
import { windowHours } from '../../../../src/agent/budgets/budget.ts'
import { toNanoDollars } from '../../../../src/contract/usage/cost.ts'
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../../src/store/store.ts'

const HOUR_MS = 3_600_000
let store: Store
let now = 0
let ids = 0

beforeEach(() => {
  store = openSqliteStore({ file: ':memory:' })
  now = 100 * HOUR_MS + 60_000
  return () => store.close()
})

function budgetOf(budgets: readonly Budget[], runId = 'run', subject = ''): AnswerBudget {
  const lines = budgets.map((budget) => ({
    budget,
    counter: { declaredOn: 'config', per: budget.per, subject },
    costNano: budget.usd === undefined ? null : toNanoDollars(budget.usd),
    tokens: budget.tokens ?? null,
    hours: windowHours(budget),
  }))
  const deps = { store: store.budgets, clock: { now: () => now }, newId: () => `id${++ids}`, meter: NO_METER }
  return new AnswerBudget(runId, lines, { ...deps, logger: pino({ enabled: false }) })
}

const PROJECT: Budget = { per: 'project', tokens: 100, every: '3h' }
const amount = (tokens: number) => ({ tokens, costNano: tokens * 1_000_000 })

async function use(budget: AnswerBudget, tokens: number, number?: number): Promise<void> {
  const verdict = await budget.reserve({ number, estimate: amount(tokens) })
  if ('settle' in verdict) await verdict.settle(amount(tokens))
}
const refusal = (budget: AnswerBudget, tokens: number) =>
  budget.reserve({ number: undefined, estimate: amount(tokens) }).then(
    () => expect.unreachable(),
    (error: unknown) => error as BudgetExceededError,
  )

it('a budget tells after how many seconds a call fits again', async () => {
  const budget = budgetOf([PROJECT])
  await use(budget, 40)
  now = 101 * HOUR_MS
  await use(budget, 40)
  now = 102 * HOUR_MS
  // the use of hour 100 ends at hour 103, that of hour 101 at hour 104
  expect(await refusal(budget, 50)).toMatchObject({ retryAfterS: 3600 })
  expect(await refusal(budget, 70)).toMatchObject({ retryAfterS: 7200 })
  expect((await refusal(budget, 101)).retryAfterS).toBeUndefined()
  now = 103 * HOUR_MS
  await use(budget, 50)
  expect((await refusal(budget, 11)).message).toBe(
    'The budget of the configuration, per project, every 3h does not allow the next call: 90 of 100 tokens are used, and it may use 11. Raise "tokens" in its "budgets", or try again in 3600 s',
  )
})

it('a budget in dollars says what is used of it', async () => {
  const budget = budgetOf([{ per: 'user', usd: 0.05, every: '24h' }], 'run', 'ann')
  await use(budget, 40)
  const error = await refusal(budget, 20)
  expect(error).toBeInstanceOf(BudgetExceededError)
  expect(error.message).toMatch(
    /^The budget of the configuration, per user "ann", every 24h does not allow the next call: \$0\.04 of \$0\.05 is used, and it may cost \$0\.02\. Raise "usd"/,
  )
})

it('a call that is repeated takes the place of its reservation', async () => {
  await budgetOf([PROJECT]).reserve({ number: 0, estimate: amount(90) })
  // another process, after a crash
  const again = budgetOf([PROJECT])
  expect((await refusal(again, 20)).retryAfterS).toBeGreaterThan(0)
  await use(again, 80, 0)
  await use(again, 20, 1)
})

it('a run goes on with another model, by the first budget that has one, unless one fails', async () => {
  const cheap = { ...PROJECT, onLimit: { model: 'openai/cheap' } } as const
  const cheaper = { per: 'run', tokens: 100, onLimit: { model: 'openai/cheaper' } } as const
  const budget = budgetOf([cheap, cheaper])
  expect(budget.models).toEqual(['openai/cheap', 'openai/cheaper'])
  await use(budget, 100)
  expect(await budget.reserve({ number: 1, estimate: amount(1) })).toEqual({ model: 'openai/cheap' })
  // both are passed, and go on counting
  await use(budget, 500, 1)
  const other = budgetOf([{ ...PROJECT, tokens: 600 }, cheap], 'other')
  expect(await refusal(other, 1)).toBeInstanceOf(BudgetExceededError)
})

it('a call that cannot be settled counts as it was estimated', async () => {
  const budget = budgetOf([PROJECT])
  const verdict = await budget.reserve({ number: 0, estimate: amount(90) })
  const failing = vi.spyOn(store.budgets, 'settle').mockRejectedValueOnce(new Error('the disk is full'))
  if ('settle' in verdict) await verdict.settle(amount(1))
  expect(failing).toHaveBeenCalledOnce()
  expect(await refusal(budget, 20)).toBeInstanceOf(BudgetExceededError)
})
