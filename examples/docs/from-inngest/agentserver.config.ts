import {
  createSchedule,
  createWorkflow,
  defineConfig,
} from 'agentserver'
import { z } from 'zod'
import { invoice, main, square, welcome } from './onboarding.ts'

// #region config
const digest = createWorkflow({
  id: 'prepare-weekly-digest',
  inputSchema: z.object({}),
  run: async ({ step }) => step.run('load-users', () => ['ada']),
})

export default defineConfig({
  workflows: [welcome, invoice, square, main, digest],
  schedules: [
    createSchedule({
      id: 'weekly-digest',
      cron: '0 12 * * 5',
      timezone: 'Europe/Paris',
      workflow: digest,
      input: {},
    }),
  ],
})
// #endregion
