import { createTestRunner } from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import { dailyReport, report } from './report.ts'

const runner = createTestRunner({ config: { workflows: [report], schedules: [dailyReport] } })
afterAll(() => runner.close())

test('the schedule sends the report of its day', async () => {
  const { executionId } = await runner.client.api.triggerSchedule({ params: { id: 'daily-report' } })
  const report = runner.client.workflow('report').execution(executionId)
  await expect
    .poll(async () => (await report.get()).output)
    .toEqual({ sent: new Date().toISOString().slice(0, 10) })
})
