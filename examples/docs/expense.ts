import { andThen, createWorkflow } from 'agentserver'
import { z } from 'zod'

export const expense = createWorkflow({
  id: 'expense',
  name: 'Expense',
  purpose: 'Reimburse expenses; large ones need manual approval',
  inputSchema: z.object({ employee: z.string(), amount: z.number().positive() }),
})
  .andWhen({
    id: 'if-large',
    condition: ({ data }) => data.amount > 100,
    step: andThen({
      id: 'approve',
      resumeSchema: z.object({ approvedBy: z.string() }),
      execute: ({ data, resumeData, suspend }) =>
        resumeData
          ? { ...data, ...resumeData }
          : suspend('Amounts above 100 need approval', { amount: data.amount }),
    }),
  })
  .andThen({
    id: 'pay',
    retries: 3,
    execute: ({ data, idempotencyKey }) => ({ ...data, paid: true, reference: idempotencyKey }),
  })
