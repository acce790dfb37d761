import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const welcome = createWorkflow({
  id: 'welcome',
  inputSchema: z.object({ name: z.string() }),
  on: [{ event: 'user.created' }],
  run: async ({ input, step }) => step.run('mail', () => ({ sent: `Welcome, ${input.name}!` })),
})
