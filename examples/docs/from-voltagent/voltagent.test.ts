import {
  createTestRunner,
  scriptedModel,
} from 'agentserver/testing'
import { afterAll, expect, test, vi } from 'vitest'
import config from './agentserver.config.ts'
import { approval } from './approval.ts'
import { run } from './calls.ts'
import { greeter } from './greeter.ts'

vi.hoisted(() => {
  process.env['JWT_SECRET'] = 'j'.repeat(32)
})

const sentiment = JSON.stringify({ sentiment: 'positive' })
const models = {
  analyzer: scriptedModel([sentiment, sentiment]),
  cashier: scriptedModel([
    {
      toolCalls: [
        {
          toolName: 'processPayment',
          input: { cents: 2000, customer: 'Ada' },
        },
      ],
    },
    'Charged.',
  ]),
}
const runner = createTestRunner({ config }, { models })
afterAll(() => runner.close())

test('the greeting has its sentiment, and a flag if it is long', async () => {
  const { result } = await runner.run(greeter, {
    name: 'Alexanderson',
  })
  expect(result).toEqual({
    greeting: 'Hello, Alexanderson!',
    sentiment: 'positive',
    isLong: true,
  })
})

test('an approval waits', async () => {
  const waiting = await runner.run(approval, { item: 'Desk' })
  expect(waiting.suspension?.data).toEqual({ item: 'Desk' })
  expect((await waiting.resume({ approved: true })).result).toEqual(
    { approved: true },
  )
})

test('large payments need approval', async () => {
  const cashier = runner.client.agent('cashier')
  const asked = await cashier.generate('Charge Ada 20')
  const [approvalId = ''] = (asked.approvals ?? []).map(
    (one) => one.approvalId,
  )
  const done = await cashier
    .run(asked.id)
    .respond([{ approvalId, approved: true }])
  expect(done).toMatchObject({
    text: 'Charged.',
    toolResults: [{ output: { cents: 2000 } }],
  })
})

test('code asks an agent and resumes an execution', async () => {
  expect(await run()).toEqual(['positive', { approved: true }])
})
