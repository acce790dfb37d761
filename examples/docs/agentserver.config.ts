import { andThen, createWorkflow, defineConfig } from 'agentserver'
import { z } from 'zod'

export const expense = createWorkflow({
  id: 'expense',
  name: 'Expense',
  purpose: 'Pay back what someone spent',
  inputSchema: z.object({ who: z.string(), amount: z.number().positive() }),
})
  .andWhen({
    id: 'large',
    condition: ({ data }) => data.amount > 100,
    step: andThen({
      id: 'approve',
      resumeSchema: z.object({ approvedBy: z.string() }),
      execute: ({ data, resumeData, suspend }) =>
        resumeData ? { ...data, ...resumeData } : suspend('over 100', { amount: data.amount }),
    }),
  })
  .andThen({
    id: 'pay',
    retries: 3,
    execute: ({ data, idempotencyKey }) => ({ ...data, paid: true, reference: idempotencyKey }),
  })

export default defineConfig({ workflows: [expense] })
