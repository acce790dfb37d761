import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import config from './agentserver.config.ts'
import { invoice, main, outbox, welcome } from './onboarding.ts'

const runner = createTestRunner({ config })
afterAll(() => runner.close())

const send = (name: string, data: object, key?: string) =>
  runner.client.sendEvent({
    name,
    data,
    ...(key !== undefined && { key }),
  })

// #region test
test('tips come three days after the welcome', async () => {
  await runner.run(welcome, { email: 'ada@example.com' })
  expect(outbox).toEqual(['ada@example.com: Welcome'])

  await runner.advance('3d')
  expect(outbox).toHaveLength(2)
})
// #endregion

test('an event starts the welcome', async () => {
  const { started } = await send('user.signup', {
    email: 'grace@example.com',
  })
  expect(started).toHaveLength(1)
})

test('an invoice is reviewed, expires or is withdrawn', async () => {
  const first = await runner.run(invoice, { invoiceId: 'I-1' })
  await send('invoice.reviewed', { approved: true }, 'I-1')
  expect((await first.settled()).result).toBe('approved')

  const second = await runner.run(invoice, { invoiceId: 'I-2' })
  await runner.advance('7d')
  expect((await second.settled()).result).toBe('expired')

  const third = await runner.run(invoice, { invoiceId: 'I-3' })
  await send('invoice.withdrawn', {}, 'I-3')
  await expect
    .poll(async () => (await third.settled()).status)
    .toBe('cancelled')
})

test('a function calls another one', async () => {
  expect((await runner.run(main, { number: 4 })).result).toBe(16)
})
