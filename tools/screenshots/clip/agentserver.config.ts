import { setTimeout } from 'node:timers/promises'
import { createAgent, createWorkflow, defineConfig } from 'agentserver'
import { z } from 'zod'

const LIMIT = 100

const writer = createAgent({ id: 'writer', name: 'Writer', instructions: 'Write one friendly sentence.' })

const refund = createWorkflow({
  id: 'refund',
  name: 'Refund',
  inputSchema: z.object({ orderId: z.string(), amount: z.number() }),
  run: async ({ input, step }) => {
    const order = await step.run('look-up-order', () => ({ ...input, customer: 'Ada' }))
    const risk = await step.run('check-risk', () => setTimeout(6000, { score: 12 }))
    if (input.amount > LIMIT) {
      const { approved } = await step.suspend('approve', {
        reason: `Refunds above ${LIMIT} need approval`,
        data: { ...order, risk: risk.score },
        resumeSchema: z.object({ approved: z.boolean() }),
      })
      if (!approved) return { refunded: 0 }
    }
    const paid = await step.run('pay', ({ idempotencyKey }) => ({ reference: idempotencyKey }))
    const note = await step.agent('note', writer, { prompt: `Order ${input.orderId} is refunded` })
    return { ...paid, note: note.text }
  },
})

export default defineConfig({ workflows: [refund], agents: [writer] })
