import { crashEveryStep, createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import { payments } from './payments.ts'
import { refund } from './refund.ts'

const runner = createTestRunner([refund])
afterAll(() => runner.close())

test('a small refund is paid, with a note', async () => {
  const { status, result, executionId } = await runner.run(refund, { orderId: 'A-1', amount: 40 })
  expect(status).toBe('completed')
  expect(result).toMatchObject({ refunded: 40, reference: `${executionId}:pay` })
})

test('a large refund waits for approval, and is refused', async () => {
  const waiting = await runner.run(refund, { orderId: 'A-1', amount: 250 })
  expect(waiting.suspension).toMatchObject({ stepId: 'approve', data: { orderId: 'A-1', amount: 250 } })
  expect((await waiting.resume({ approved: false })).result).toEqual({ refunded: 0 })
})

test('a refund survives a crash at every step, and is paid once', async () => {
  const proof = await crashEveryStep(refund, {
    input: { orderId: 'A-1', amount: 250 },
    resume: { approve: { approved: true } },
    effects: payments,
  })
  expect(proof).toMatchObject({ repeatedWithoutKey: [], differentResults: [], unfinished: [] })
}, 60_000)
