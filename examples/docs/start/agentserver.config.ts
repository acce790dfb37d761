import { createWorkflow, defineConfig, resumeExecution } from 'agentserver'
import { z } from 'zod'

export const leave = createWorkflow({ id: 'leave', inputSchema: z.object({ days: z.number() }) }).andThen({
  id: 'approve',
  resumeSchema: z.object({ approved: z.boolean() }),
  execute: ({ data, suspend, resumeData }) =>
    resumeData ? { ...data, ...resumeData } : suspend('Waits for approval'),
})

export default defineConfig({
  workflows: [leave],
  configureApp: (app) => {
    app.post('/leave', async (c) => {
      const input = await c.req.json<{ days: number }>()
      const { executionId } = await leave.start(input, { userId: c.get('user')?.id })
      return c.json({ executionId }, 202)
    })

    app.post('/leave/:executionId/approve', async (c) => {
      const { status, result } = await resumeExecution('leave', c.req.param('executionId'), {
        approved: true,
      })
      return c.json({ status, result })
    })
  },
})
