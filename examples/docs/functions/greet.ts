import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const greet = createWorkflow({
  id: 'greet',
  inputSchema: z.object({ name: z.string() }),
  run: async ({ input, step }) => {
    const name = await step.run('trim', () => input.name.trim())
    const text = await step.run('write', () => `Hello, ${name}!`)
    return { text }
  },
})
