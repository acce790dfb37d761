import { createTool } from 'agentserver'
import { z } from 'zod'

export const bookLines = createTool({
  name: 'book-lines',
  description: 'Books the lines of an order, when somebody has signed for it',
  inputSchema: z.object({ lines: z.array(z.string()) }),
  execute: async ({ lines }, { step }) => {
    await step.suspend('sign', { reason: `${lines.length} lines need a signature` })
    for (const line of lines) await step.run(line, ({ idempotencyKey }) => ({ line, idempotencyKey }))
    return { booked: lines.length }
  },
})
