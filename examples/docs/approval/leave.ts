import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const leave = createWorkflow({
  id: 'leave',
  inputSchema: z.object({ days: z.int() }),
  run: async ({ input, step }) => {
    const { approved } = await step.suspend('approve', {
      reason: `${input.days} days need approval`,
      resumeSchema: z.object({ approved: z.boolean() }),
    })
    return { days: input.days, approved }
  },
})
