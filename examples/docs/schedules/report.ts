import { createSchedule, createWorkflow } from 'agentserver'
import { z } from 'zod'

export const report = createWorkflow({
  id: 'report',
  name: 'Report',
  inputSchema: z.object({ day: z.iso.date() }),
}).andThen({ id: 'send', execute: ({ data }) => ({ sent: data.day }) })

export const dailyReport = createSchedule({
  id: 'daily-report',
  cron: '0 9 * * 1-5',
  timezone: 'Europe/Berlin',
  workflow: report,
  input: ({ scheduledAt }) => ({ day: scheduledAt.toISOString().slice(0, 10) }),
})
