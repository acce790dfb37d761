import { createTestRunner } from 'agentserver/testing'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { order, refunds } from './order.ts'
import { journal, trip } from './trip.ts'

const runner = createTestRunner([trip, order])
afterAll(() => runner.close())
beforeEach(() => void journal.splice(0))

test('a trip without a car is cancelled, the last booking first', async () => {
  const failed = await runner.run(trip, { city: 'Venice', days: 3 })
  expect(failed).toMatchObject({ status: 'error', error: { message: 'There are no cars in Venice' } })
  expect(journal).toEqual(['book flight', 'book hotel', 'cancel hotel', 'cancel flight'])
})

test('a trip that waits for approval is cancelled with its bookings', async () => {
  const waiting = await runner.run(trip, { city: 'Rome', days: 20 })
  expect(waiting.status).toBe('suspended')
  const execution = runner.client.workflow('trip').execution(waiting.executionId)
  expect(await execution.cancel()).toMatchObject({
    status: 'cancelled',
    compensation: 'completed',
  })
  expect(journal).toEqual(['book flight', 'book hotel', 'cancel hotel', 'cancel flight'])
})

test('an order that can not be shipped is refunded', async () => {
  const { status, executionId } = await runner.run(order, { total: 250 })
  expect(status).toBe('error')
  expect(refunds).toEqual([`error: ${executionId}:charge`])
})
