import { createTool } from 'agentserver'
import { z } from 'zod'
import { orders } from '../services/orders.ts'

const FoundOrder = z.object({
  orderId: z.string(),
  state: z.enum(['paid', 'shipped', 'refunded', 'unknown']),
  totalCents: z.int().nullable(),
  trackingNumber: z.string().nullable(),
})

export const findOrder = createTool({
  name: 'find-order',
  description: 'Finds an order by its number: its state, its total and its tracking number',
  inputSchema: z.object({
    orderId: z
      .string()
      .regex(/^A-\d{4}$/)
      .describe('Order number, such as A-1001'),
  }),
  outputSchema: FoundOrder,
  // An unknown order is a result that the model can explain, not an error.
  execute: ({ orderId }): z.infer<typeof FoundOrder> =>
    orders.get(orderId) ?? { orderId, state: 'unknown', totalCents: null, trackingNumber: null },
})
