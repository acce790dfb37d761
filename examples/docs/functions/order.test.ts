import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import { order } from './order.ts'

const runner = createTestRunner([order])
afterAll(() => runner.close())

test('a small order ships after its sleep', async () => {
  const shipped = await runner.run(order, { orderId: 'A-1', total: 40 })
  expect(shipped).toMatchObject({ status: 'completed', result: { status: 'shipped' } })
})

test('a large order waits for approval, and is rejected', async () => {
  const waiting = await runner.run(order, { orderId: 'A-2', total: 400 })
  expect(waiting.status).toBe('suspended')
  const rejected = await waiting.resume({ approved: false })
  expect(rejected).toMatchObject({ status: 'completed', result: { status: 'rejected' } })
})
