import { createWorkflow, defineEvent } from 'agentserver'
import { z } from 'zod'

export const paid = defineEvent({ name: 'parcel.paid', schema: z.object({ cents: z.int().positive() }) })

export const parcel = createWorkflow({
  id: 'parcel',
  inputSchema: z.object({ orderId: z.string() }),
  cancelOn: [{ event: 'order.cancelled', key: ({ input }) => input.orderId }],
  run: async ({ input, step }) => {
    const { cents } = await step.waitForEvent('paid', { event: paid, key: input.orderId, timeout: '7d' })
    return { orderId: input.orderId, cents }
  },
})
