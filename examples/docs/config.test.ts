import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import config from './agentserver.config.ts'
import { expense } from './expense.ts'

const runner = createTestRunner({ config })
afterAll(() => runner.close())

test('an expense has the names of the users who started and approved it', async () => {
  const waiting = await runner.run(expense, { employee: 'Ada', amount: 250 }, { user: { id: 'ada' } })
  const done = await waiting.resume({ approvedBy: 'Grace' }, { user: { id: 'grace' } })
  expect(await done.record()).toMatchObject({ startedBy: 'ada', resumedBy: 'grace' })
})

test('a user asks the support agent', async () => {
  const ada = runner.clientOf({ id: 'ada' })
  const answer = await ada.agent('support').generate('Where is A-1?')
  expect(answer.text).toContain('A-1')
})
