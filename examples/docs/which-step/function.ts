import { createWorkflow } from 'agentserver'
import { z } from 'zod'
import { clerk, lookup, shipment } from './parts.ts'

export const asFunction = createWorkflow({
  id: 'order-as-function',
  inputSchema: z.object({ orderId: z.string(), skus: z.array(z.string()) }),
  uses: [clerk, shipment],
  run: async ({ input, step }) => {
    const order = await step.run('load', () => ({ orderId: input.orderId, cents: 12_000 }), { retries: 3 })
    const { weight } = await step.tool('weigh', lookup, { sku: 'mug' })
    const [stock, tax] = await Promise.all([
      step.run('stock', () => input.skus.length),
      step.run('tax', () => Math.round(order.cents * 0.19)),
    ])
    for (const sku of input.skus) await step.run(`pick-${sku}`, () => sku)
    if (order.cents > 10_000)
      await step.suspend('approve', { reason: 'Large order', resumeSchema: z.object({ by: z.string() }) })
    await step.sleep('cool-down', '1s')
    const { text } = await step.agent('note', clerk, { prompt: `Order ${order.orderId} is accepted` })
    const parcel = await step.workflow('ship', shipment, { orderId: order.orderId })
    await step.waitForEvent('delivered', { event: 'delivered', key: order.orderId })
    return { weight, stock, tax, text, parcel }
  },
})
