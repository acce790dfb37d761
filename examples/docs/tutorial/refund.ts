import { createWorkflow } from 'agentserver'
import { z } from 'zod'
import { payments } from './payments.ts'
import { support } from './support.ts'

export const refund = createWorkflow({
  id: 'refund',
  name: 'Refund',
  inputSchema: z.object({ orderId: z.string(), amount: z.number().positive() }),
  uses: [support],
  run: async ({ input: { orderId, amount }, step }) => {
    if (amount > 100) {
      const { approved } = await step.suspend('approve', {
        reason: 'Refunds above 100 need approval',
        data: { orderId, amount },
        resumeSchema: z.object({ approved: z.boolean() }),
      })
      if (!approved) return { refunded: 0 }
    }
    const paid = await step.run('pay', (call) => payments.pay(amount, call), { retries: 3 })
    await step.sleep('settle', '1s')
    const note = await step.agent('note', support, {
      prompt: `Tell the customer that order ${orderId} is refunded`,
    })
    return { refunded: amount, reference: paid.reference, note: note.text }
  },
})
