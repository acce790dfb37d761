import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import { trial } from './trial.ts'

const runner = createTestRunner([trial])
afterAll(() => runner.close())

test('a trial ends after three weeks without an answer', async () => {
  const sleeping = await runner.run(trial, { email: 'ada@example.com' })
  expect(sleeping.suspension?.reason).toBe('sleeping')

  await runner.advance('14d')
  const offered = await sleeping.settled()
  expect(offered.suspension?.reason).toBe('Waits for a plan')

  await runner.advance('7d')
  expect((await offered.settled()).result).toEqual({ plan: 'free' })
})
