import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import { expense } from './expense.ts'

const runner = createTestRunner([expense])
afterAll(() => runner.close())

test('a large expense waits for approval', async () => {
  const waiting = await runner.run(expense, { employee: 'Ada', amount: 250 })
  expect(waiting.status).toBe('suspended')

  const done = await waiting.resume({ approvedBy: 'Grace' })
  expect(done.status).toBe('completed')
  expect(done.result).toMatchObject({ paid: true, approvedBy: 'Grace' })
})
