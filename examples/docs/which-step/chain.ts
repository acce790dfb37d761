import { andThen, createWorkflow } from 'agentserver'
import { z } from 'zod'
import { clerk, shipment } from './parts.ts'

export const asChain = createWorkflow({
  id: 'order-as-chain',
  inputSchema: z.object({ orderId: z.string(), skus: z.array(z.string()) }),
})
  .andThen({ id: 'load', retries: 3, execute: ({ data }) => ({ ...data, cents: 12_000 }) })
  .andTap({ id: 'log', execute: ({ data, logger }) => logger.info(`Order of ${data.cents} cents`) })
  .andWhen({
    id: 'if-large',
    condition: ({ data }) => data.cents > 10_000,
    step: andThen({
      id: 'approve',
      resumeSchema: z.object({ by: z.string() }),
      execute: ({ data, resumeData, suspend }) => (resumeData ? data : suspend('Large order')),
    }),
  })
  .andForEach({
    id: 'pick',
    items: ({ data }) => data.skus,
    step: andThen({ id: 'pick-one', execute: ({ data }: { data: string }) => data }),
  })
  .andAll({
    id: 'parts',
    steps: [
      andThen({ id: 'stock', execute: ({ data }) => data.length }),
      andThen({ id: 'tax', execute: ({ results }) => Math.round(results.load.cents * 0.19) }),
    ],
  })
  .andSleep({ id: 'cool-down', for: '1s' })
  .andAgent({ id: 'note', agent: clerk, prompt: ({ input }) => `Order ${input.orderId} is accepted` })
  .andWorkflow({ id: 'ship', workflow: shipment, input: ({ input }) => ({ orderId: input.orderId }) })
  .andWaitForEvent({ id: 'delivered', event: 'delivered', key: ({ input }) => input.orderId })
