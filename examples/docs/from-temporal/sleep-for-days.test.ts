import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import { outbox, reminders } from './sleep-for-days.ts'

const runner = createTestRunner([reminders])
afterAll(() => runner.close())

test('a mail is sent every 30 days for a year, until the event', async () => {
  const email = 'ada@example.com'
  const sleeping = await runner.run(reminders, { email })
  expect(sleeping.status).toBe('suspended')
  expect(outbox).toEqual([`${email}: sleeping for 30 days`])

  await runner.advance('365d')
  expect(outbox).toHaveLength(13)

  await runner.client.sendEvent({
    name: 'complete',
    key: email,
    data: { reason: 'unsubscribed' },
  })
  expect((await sleeping.settled()).result).toEqual({
    mails: 13,
    reason: 'unsubscribed',
  })
})
