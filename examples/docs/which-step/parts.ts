import { createAgent, createTool, createWorkflow } from 'agentserver'
import { z } from 'zod'

export const lookup = createTool({
  name: 'lookup',
  description: 'Looks up an article',
  inputSchema: z.object({ sku: z.string() }),
  outputSchema: z.object({ weight: z.number() }),
  execute: ({ sku }) => ({ weight: sku.length }),
})

export const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Write one sentence.',
  tools: [lookup],
})

export const shipment = createWorkflow({
  id: 'shipment',
  inputSchema: z.object({ orderId: z.string() }),
  run: ({ input, step }) => step.run('print-label', () => ({ parcel: `parcel-${input.orderId}` })),
})
