import { createAgent, createWorkflow, defineConfig } from 'agentserver'
import { z } from 'zod'

const writer = createAgent({ id: 'writer', name: 'Writer', instructions: 'Write one friendly sentence.' })
const resumeSchema = z.object({ approved: z.boolean() })

export const refund = createWorkflow({
  id: 'refund',
  inputSchema: z.object({ orderId: z.string(), amount: z.number() }),
  run: async ({ input, step }) => {
    const { approved } = await step.suspend('approve', { reason: `Refund ${input.amount}?`, resumeSchema })
    if (!approved) return 'rejected'
    await step.run('pay', ({ idempotencyKey: key }) => console.log(input, key), { retries: 3 })
    return (await step.agent('note', writer, { prompt: `Order ${input.orderId} is refunded` })).text
  },
})

export default defineConfig({ workflows: [refund], agents: [writer] })
