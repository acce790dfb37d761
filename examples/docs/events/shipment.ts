import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const shipment = createWorkflow({
  id: 'shipment',
  inputSchema: z.object({ orderId: z.string(), country: z.string(), cents: z.int() }),
  on: [{ event: 'order.created', filter: ({ data }) => data.cents > 0 }],
  run: async ({ input, step }) => {
    const parcel = await step.run('pack', () => ({ label: `${input.country}-${input.orderId}` }))
    const sent = await step.sendEvent('tell', { name: 'order.shipped', key: input.orderId, data: parcel })
    return { ...parcel, told: sent }
  },
})
