import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import config, { refund } from './agentserver.config.ts'

const runner = createTestRunner({ config })
afterAll(() => runner.close())

test('an approved refund is paid once, and ends with a note', async () => {
  const waiting = await runner.run(refund, { orderId: 'A-1', amount: 250 })
  expect(waiting.suspension).toMatchObject({ stepId: 'approve', reason: 'Refund 250?' })
  expect(await waiting.resume({ approved: true })).toMatchObject({
    status: 'completed',
    result: expect.any(String) as string,
  })
})

test('a rejected refund is not paid', async () => {
  const waiting = await runner.run(refund, { orderId: 'A-1', amount: 250 })
  expect((await waiting.resume({ approved: false })).result).toBe('rejected')
})
