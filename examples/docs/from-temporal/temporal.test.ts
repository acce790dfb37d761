import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import { createServer } from 'agentserver/server'
import config from './agentserver.config.ts'
import { approve } from './client.ts'
import { expense } from './expense.ts'
import { child, parent } from './greetings.ts'

const runner = createTestRunner([expense, parent, child])
afterAll(() => runner.close())

// #region test
test('an expense is rejected, or times out', async () => {
  const asked = await runner.run(expense, { expenseId: 'E-1' })
  const rejected = await asked.resume({ approved: false })
  expect(rejected.result).toEqual({ status: 'REJECTED' })

  const late = await runner.run(expense, { expenseId: 'E-2' })
  await runner.advance('10s')
  expect((await late.settled()).result).toEqual({
    status: 'TIMED_OUT',
  })
})
// #endregion

test('a parent waits for its children', async () => {
  const waiting = await runner.run(parent, {
    names: ['Ada', 'Grace'],
  })
  await runner.advance('1h')
  expect((await waiting.settled()).result).toBe(
    'I am a child named Ada\nI am a child named Grace',
  )
})

test('the client starts and approves, beside a schedule', async () => {
  const workflows = [...(config.workflows ?? []), expense]
  const server = createServer({
    ...config,
    workflows,
    database: ':memory:',
    port: 0,
  })
  const { url } = await server.listen()
  expect(await approve(url, 'E-3')).toEqual({ status: 'COMPLETED' })
  await server.close()
})
