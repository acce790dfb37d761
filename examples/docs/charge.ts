import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const charge = createWorkflow({
  id: 'charge',
  name: 'Charge',
  inputSchema: z.object({ orderId: z.string() }),
}).andThen({
  id: 'card',
  execute: async ({ data, logger }) => {
    logger.info({ orderId: data.orderId }, 'Charging')
    return { ...data, charged: true }
  },
})
