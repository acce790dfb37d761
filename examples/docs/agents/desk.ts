import { createAgent, createTool } from 'agentserver'
import { z } from 'zod'

const refund = createTool({
  name: 'refund',
  description: 'Refunds an order',
  inputSchema: z.object({ orderId: z.string() }),
  execute: ({ orderId }) => ({ orderId, refunded: true }),
})

export const desk = createAgent({
  id: 'desk',
  name: 'Service desk',
  instructions: ({ user, context }) =>
    `Help ${user?.id ?? 'a visitor'}. Answer in ${context['language'] === 'de' ? 'German' : 'English'}.`,
  tools: ({ user }) => (user?.['role'] === 'clerk' ? [refund] : []),
  model: ({ input }) => (input.length > 2000 ? 'openai/gpt-4.1' : 'openai/gpt-4.1-mini'),
})
