import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const refunds: string[] = []

export const order = createWorkflow({ id: 'order', inputSchema: z.object({ total: z.number() }) })
  .andThen({
    id: 'charge',
    retries: 3,
    execute: ({ input, idempotencyKey }) => ({ charge: idempotencyKey, total: input.total }),
    compensate: ({ charge }, { reason }) => void refunds.push(`${reason}: ${charge}`),
  })
  .andThen({
    id: 'ship',
    execute: ({ data }) => {
      if (data.total > 100) throw new Error('Out of stock')
      return { shipped: true }
    },
  })
