import { createTestRunner } from 'agentserver/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { messagesTo } from '../src/services/messages.ts'
import { expense } from '../src/workflows/expense.ts'
import { followUp } from '../src/workflows/follow-up.ts'

const input = {
  employee: 'ada@example.com',
  manager: 'grace@example.com',
  purpose: 'Train to Berlin',
  items: [{ what: 'Ticket', cents: 12_990 }],
}

let expenses: ReturnType<typeof createTestRunner>
let followUps: ReturnType<typeof createTestRunner>
let workflow: ReturnType<typeof followUp>

beforeEach(() => {
  expenses = createTestRunner([expense])
  workflow = followUp(expenses.client)
  followUps = createTestRunner([workflow])
})
afterEach(() => Promise.all([expenses.close(), followUps.close()]))

test('approvers are reminded of expenses that wait long enough', async () => {
  const { executionId } = await expenses.run(expense, input)

  const { result } = await followUps.run(workflow, { remindAfterHours: 0 })
  expect(result).toEqual({ withdrawn: [], reminded: [executionId] })
  expect(messagesTo('grace@example.com')).toContain(
    `Reminder: ada@example.com waits for €129.90 (${executionId})`,
  )
})

test('approvers are not reminded too early, or of decided expenses', async () => {
  await expenses.run(expense, input)
  const decided = await expenses.run(expense, input)
  await decided.resume({ approved: true, by: 'grace@example.com' })

  expect((await followUps.run(workflow, {})).result).toEqual({ withdrawn: [], reminded: [] })
})

test('an expense without a decision is withdrawn', async () => {
  const { executionId } = await expenses.run(expense, input)

  const { result } = await followUps.run(workflow, { withdrawAfterHours: 0 })
  expect(result).toEqual({ withdrawn: [executionId], reminded: [] })
  const record = await expenses.client.getExecution({ params: { id: 'expense', executionId } })
  expect(record.status).toBe('cancelled')
})

test('an expense that has ended is not changed', async () => {
  const { executionId } = await expenses.run(expense, input)
  await expenses.client.cancelExecution({ params: { id: 'expense', executionId } })

  const { result } = await followUps.run(workflow, { remindAfterHours: 0, withdrawAfterHours: 0 })
  expect(result).toEqual({ withdrawn: [], reminded: [] })
})
