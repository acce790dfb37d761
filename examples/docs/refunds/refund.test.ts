import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import config from './agentserver.config.ts'
import { refund } from './refund.ts'

const runner = createTestRunner({ config })
afterAll(() => runner.close())

test('a small refund is paid with a note', async () => {
  const { status, result, executionId } = await runner.run(refund, { orderId: 'A-1', amount: 40 })
  expect(status).toBe('completed')
  expect(result).toEqual({
    refunded: 40,
    reference: `${executionId}:pay`,
    note: expect.any(String) as string,
  })
})

test('a large refund waits for approval, and is refused', async () => {
  const waiting = await runner.run(refund, { orderId: 'A-1', amount: 250 })
  expect(waiting.suspension).toMatchObject({ stepId: 'approve', data: { orderId: 'A-1', amount: 250 } })
  expect((await waiting.resume({ approved: false })).result).toEqual({ refunded: 0 })
})
