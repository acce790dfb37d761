import { defineConfig } from 'agentserver'
import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import { birthdayCard, outbox } from './birthday-card.ts'

const runner = createTestRunner({
  config: defineConfig({ workflows: [birthdayCard], publicUrl: 'https://cards.example' }),
})
afterAll(() => runner.close())

const DAY_MS = 86_400_000

test('a card is sent on the birthday, with those who have said that they come', async () => {
  const birthday = new Date(Date.now() + 20 * DAY_MS).toISOString()
  const guests = ['grace@example.com', 'alan@example.com', 'edsger@example.com']
  const waiting = await runner.run(birthdayCard, { name: 'Ada', email: 'ada@example.com', birthday, guests })
  expect(waiting.status).toBe('suspended')
  expect(outbox.map(({ to }) => to).toSorted()).toEqual(guests.toSorted())
  for (const { url } of outbox) expect(url).toMatch(/^https:\/\/cards\.example\/links\//)

  const answer = (stepId: string, comes: boolean) =>
    runner.client.workflow(birthdayCard.id).execution(waiting.executionId).resume({ comes }, { stepId })
  await answer('rsvp-0', true)
  await answer('rsvp-1', false)
  // Edsger does not answer
  await runner.advance('14d')
  expect(outbox.filter(({ to }) => to === 'ada@example.com')).toEqual([])

  await runner.advance('6d')
  const sent = await waiting.settled()
  expect(sent.result).toEqual({ coming: ['grace@example.com'] })
  expect(outbox.at(-1)).toMatchObject({ to: 'ada@example.com', picture: expect.any(String) as string })
})
