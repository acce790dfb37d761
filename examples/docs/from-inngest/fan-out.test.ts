import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import { digest, digests, outbox } from './fan-out.ts'

const runner = createTestRunner([digests, digest])
afterAll(() => runner.close())

test('an event starts a workflow, whose events start one for each user, ten in a minute', async () => {
  const event = {
    name: 'week.ended',
    id: 'week-48',
    data: { week: '48' },
  }
  const { started } = await runner.client.sendEvent(event)
  expect(started).toEqual(['code:digests:week-48'])

  await runner.advance('1s')
  expect(outbox).toHaveLength(10)
  await runner.advance('1m')
  expect(outbox).toHaveLength(20)
  await runner.advance('1m')
  expect(outbox).toHaveLength(25)
  expect(new Set(outbox).size).toBe(25)

  expect(await runner.client.sendEvent(event)).toMatchObject({
    started: [],
  })
})
