import {
  createSchedule,
  createWorkflow,
  defineConfig,
} from 'agentserver'
import { z } from 'zod'

const reminder = createWorkflow({
  id: 'reminder',
  inputSchema: z.object({ text: z.string() }),
  run: async ({ input }) => ({ reminded: input.text }),
})

// #region config
const often = createSchedule({
  id: 'sample-schedule',
  every: '10s',
  workflow: reminder,
  input: { text: 'Take out the recycling' },
  catchUp: 'all',
  overlap: 'allow',
})

export default defineConfig({
  workflows: [reminder],
  schedules: [often],
})
// #endregion
