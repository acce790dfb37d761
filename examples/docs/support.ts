import { createAgent, createTool } from 'agentserver'
import { z } from 'zod'

const orders: Record<string, string> = { 'A-1': 'on its way' }

const orderState = createTool({
  name: 'order-state',
  description: 'Tells the state of an order',
  inputSchema: z.object({ orderId: z.string() }),
  execute: ({ orderId }) => ({ state: orders[orderId] ?? 'unknown' }),
})

export const support = createAgent({
  id: 'support',
  name: 'Support',
  description: 'Answers questions about orders',
  instructions: 'Answer in one sentence. Look orders up, never guess.',
  tools: [orderState],
})
