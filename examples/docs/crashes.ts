import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const payments = {
  pay: async (total: number, { idempotencyKey }: { idempotencyKey: string }) => ({ total, idempotencyKey }),
}

export const purchase = createWorkflow({
  id: 'purchase',
  inputSchema: z.object({ total: z.number() }),
  run: async ({ input, step }) => {
    const resumeSchema = z.object({ approved: z.boolean() })
    const { approved } = await step.suspend('approve', { reason: 'Needs approval', resumeSchema })
    if (!approved) return { status: 'rejected' }
    await step.run('charge', ({ idempotencyKey }) => payments.pay(input.total, { idempotencyKey }))
    return { status: 'paid' }
  },
})
