import {
  createSchedule,
  createWorkflow,
  defineConfig,
} from 'agentserver'
import { z } from 'zod'

// #region schedule
export const dailyReport = createWorkflow({
  id: 'daily-report',
  inputSchema: z.object({ userId: z.string() }),
}).andThen({
  id: 'send-report',
  execute: ({ data }) => ({ sentTo: data.userId }),
})

export default defineConfig({
  workflows: [dailyReport],
  schedules: [
    createSchedule({
      id: 'daily-report',
      cron: '0 9 * * *',
      timezone: 'America/New_York',
      workflow: dailyReport,
      input: { userId: 'system' },
    }),
  ],
})
// #endregion
