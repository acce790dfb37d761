import { createWorkflow } from 'agentserver'
import { z } from 'zod'

const outbox: string[] = []

/** Stands for your mail service. */
async function mail(to: string, text: string): Promise<void> {
  outbox.push(`${to}: ${text}`)
}

export const refund = createWorkflow({
  id: 'refund',
  name: 'Refund',
  inputSchema: z.object({ orderId: z.string(), cents: z.int() }),
  run: async ({ input, step }) => {
    const decision = await step.suspend('approve', {
      reason: 'A refund needs approval',
      data: input,
      resumeSchema: z.object({ approved: z.boolean(), note: z.string().max(200).optional() }),
      timeout: '3d',
      onTimeout: 'continue',
      notify: ({ url, step: within }) =>
        within.run('mail', () => mail('manager@example.com', `Please decide: ${url}`), { retries: 3 }),
    })
    if ('timedOut' in decision || !decision.approved) return { refunded: 0 }
    return step.run('pay', () => ({ refunded: input.cents }))
  },
})
