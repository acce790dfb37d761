import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import { report, sent } from './notify.ts'

const runner = createTestRunner([report])
afterAll(() => runner.close())

test('the mail is sent after the report', async () => {
  const { status } = await runner.run(report, { email: 'ada@example.com' })
  expect(status).toBe('completed')
  await expect.poll(() => sent).toEqual(['ada@example.com: completed'])
})
