import { createTestRunner } from 'agentserver/testing'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { meal, sent } from './food-delivery.ts'

const runner = createTestRunner([meal])
afterAll(() => runner.close())
beforeEach(() => void sent.splice(0))

const send = (name: string, key: string, data: object = {}) =>
  runner.client.sendEvent({ name, key, data })
const order = (orderId: string) =>
  runner.run(meal, { orderId, dish: 'Ramen', cents: 1400 })

/** An order that the restaurant has accepted. */
const accepted = async (orderId: string) =>
  (await order(orderId)).resume({ accepted: true, minutes: 15 })

test('a meal is delivered and rated', async () => {
  const cooking = await accepted('A-1')
  await send('meal.picked-up', 'A-1', { courier: 'Ada' })
  await send('meal.delivered', 'A-1')
  await runner.advance('1h')
  await send('meal.rated', 'A-1', { stars: 5 })
  expect((await cooking.settled()).result).toEqual({
    courier: 'Ada',
    stars: 5,
  })
  expect(sent).toEqual([
    'Ready in 15 minutes',
    'Ada is on the way',
    'Enjoy your meal',
    'How was the Ramen?',
  ])
})

test('a meal that nobody rates is delivered without stars', async () => {
  const cooking = await accepted('A-2')
  await send('meal.picked-up', 'A-2', { courier: 'Grace' })
  await send('meal.delivered', 'A-2')
  await runner.advance('1h')
  await runner.advance('2d')
  expect((await cooking.settled()).result).toEqual({
    courier: 'Grace',
    stars: null,
  })
})

test('an order is refunded when the restaurant does not answer, or declines', async () => {
  const ordered = await order('A-3')
  await runner.advance('10m')
  expect(await ordered.settled()).toMatchObject({
    status: 'error',
    error: { name: 'SuspendTimeoutError' },
  })
  await expect
    .poll(() => sent)
    .toEqual([
      'Refund 1400',
      expect.stringContaining('Your order has failed'),
    ])

  const declined = await (
    await order('A-4')
  ).resume({ accepted: false })
  expect(declined.error?.message).toBe(
    'The restaurant has declined the order',
  )
  await expect
    .poll(() => sent.slice(2))
    .toEqual([
      'Refund 1400',
      'Your order has failed: The restaurant has declined the order',
    ])
})

test('an order that no courier picks up is refunded', async () => {
  const cooking = await accepted('A-5')
  await runner.advance('1h')
  const failed = await cooking.settled()
  expect(failed).toMatchObject({
    status: 'error',
    error: { name: 'EventTimeoutError', stepId: 'picked-up' },
  })
  expect(sent).toContain('Refund 1400')
})
