import { createAgent, createTool } from 'agentserver'
import { z } from 'zod'

const orders: Record<string, string> = { 'A-1': 'delivered', 'A-2': 'on its way' }

const orderStatus = createTool({
  name: 'order-status',
  description: 'Looks up the status of an order',
  inputSchema: z.object({ orderId: z.string() }),
  execute: ({ orderId }) => ({ status: orders[orderId] ?? 'unknown' }),
})

export const support = createAgent({
  id: 'support',
  name: 'Support',
  description: 'Answers questions about orders',
  instructions: 'Answer in one sentence. Look up orders, never guess.',
  tools: [orderStatus],
})
