import { createSchedule, createWorkflow } from 'agentserver'
import { z } from 'zod'
import { made } from './payments.ts'

export const report = createWorkflow({
  id: 'report',
  name: 'Report',
  inputSchema: z.object({ day: z.iso.date() }),
  run: ({ input, step }) =>
    step.run('count', () => ({ day: input.day, refunds: made.size, euros: sum(made.values()) })),
})

export const dailyReport = createSchedule({
  id: 'daily-report',
  cron: '0 9 * * 1-5',
  timezone: 'Europe/Berlin',
  workflow: report,
  input: ({ scheduledAt }) => ({ day: scheduledAt.toISOString().slice(0, 10) }),
})

const sum = (amounts: Iterable<number>) => [...amounts].reduce((total, amount) => total + amount, 0)
