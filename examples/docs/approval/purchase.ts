import { andThen, createWorkflow } from 'agentserver'
import { z } from 'zod'

const Purchase = z.object({ item: z.string(), cents: z.int().positive(), requestedBy: z.string() })

const Decision = z.object({
  approved: z.boolean(),
  decidedBy: z.string(),
  comment: z.string().optional(),
})

export const purchase = createWorkflow({
  id: 'purchase',
  name: 'Purchase',
  purpose: 'Order something after a manager has approved it',
  inputSchema: Purchase,
})
  .andThen({
    id: 'approve',
    suspendSchema: Purchase,
    resumeSchema: Decision,
    execute: ({ data, resumeData, suspend }) => {
      // first run: there is no decision yet
      if (resumeData === undefined) return suspend('A purchase needs approval', data)
      // suspends a second time: the request stays open
      if (resumeData.decidedBy === data.requestedBy)
        return suspend('The requester cannot approve their own purchase', data)
      return { ...data, ...resumeData }
    },
  })
  .andWhen({
    id: 'if-approved',
    condition: ({ data }) => data.approved,
    step: andThen({
      id: 'order',
      retries: 3,
      execute: ({ data, idempotencyKey }) => ({ ...data, orderNumber: idempotencyKey }),
    }),
  })
