import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import { dailyReport, report } from './report.ts'

const runner = createTestRunner({ config: { workflows: [report], schedules: [dailyReport] } })
afterAll(() => runner.close())

test('the schedule sends the report of its day', async () => {
  const { executionId } = await runner.client.triggerSchedule({ params: { id: 'daily-report' } })
  const params = { id: 'report', executionId }
  await expect
    .poll(async () => (await runner.client.getExecution({ params })).output)
    .toEqual({ sent: new Date().toISOString().slice(0, 10) })
})
