import { createWorkflow } from 'agentserver'
import { z } from 'zod'
import { support } from '../support.ts'

export const refund = createWorkflow({
  id: 'refund',
  inputSchema: z.object({ orderId: z.string(), amount: z.number().positive() }),
  run: async ({ input: { orderId, amount }, step }) => {
    if (amount > 100) {
      const { approved } = await step.suspend('approve', {
        reason: 'Refunds above 100 need approval',
        data: { orderId, amount },
        resumeSchema: z.object({ approved: z.boolean() }),
      })
      if (!approved) return { refunded: 0 }
    }
    const pay = (key: string) => ({ refunded: amount, reference: key }) // calls your payment service
    const paid = await step.run('pay', ({ idempotencyKey }) => pay(idempotencyKey), { retries: 3 })
    const note = await step.agent('note', support, {
      prompt: `Tell the customer that order ${orderId} is refunded`,
    })
    return { ...paid, note: note.text }
  },
})
