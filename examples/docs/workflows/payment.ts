import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const fulfilment = createWorkflow({
  id: 'fulfilment',
  inputSchema: z.object({ orderId: z.string(), cents: z.number().int() }),
})
  .andWaitForEvent({
    id: 'paid',
    event: 'payment',
    key: ({ data }) => data.orderId,
    schema: z.object({ cents: z.number().int() }),
    timeout: '7d',
    onTimeout: 'continue',
  })
  .andThen({
    id: 'ship',
    execute: ({ data, input }) =>
      'timedOut' in data
        ? { orderId: input.orderId, state: 'expired' }
        : { orderId: input.orderId, state: data.cents < input.cents ? 'underpaid' : 'shipped' },
  })
